// Who asks.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ksched::serve {

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool operator==(const User&) const = default;
};

inline constexpr const char* kAnonymous = "system:anonymous";
inline constexpr const char* kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr const char* kAuthenticatedGroup = "system:authenticated";

}  // namespace ksched::serve
