// Which objects the input has, and in which file each of them stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/document.h"
#include "api/types.h"

namespace ksched {

inline constexpr size_t kMaxLocated = 20;  // of objects that are given twice: lines take time to look up

struct Origin {
  uint32_t file = 0;      // as AddFile numbered it
  bool manifest = false;  // given by -f, not a snapshot
};

// By kind, namespace and name. An object that waits for its name (generateName) is not among them.
class GivenObjects {
 public:
  uint32_t AddFile(const std::string& file);

  // Notes the object and returns where it was given before, if it was. Of an object of both a manifest and the cluster
  // the manifest's origin is kept.
  std::optional<Origin> Note(std::string_view kind, const api::ObjectMeta& metadata, Origin origin);
  bool Has(std::string_view kind, std::string_view ns, std::string_view name) const;
  void Erase(std::string_view kind, const api::ObjectMeta& metadata);
  // "namespace/name" of all objects of the kind.
  std::vector<std::string> NamesOf(std::string_view kind) const;
  // Forgets all objects of the kind that were noted with this origin.
  void Forget(std::string_view kind, Origin origin);

  // What to say of an object at this place that was given before.
  api::Problem GivenTwice(std::string_view kind, const api::ObjectMeta& metadata, Origin before,
                          const std::string& file, api::Position position);
  // "file:line" of the object, for a message: reads the file again. Only the file where that cannot be done.
  std::string Where(Origin origin, std::string_view kind, const api::ObjectMeta& metadata);

 private:
  std::vector<std::string> files_;
  boost::unordered_flat_map<std::string, Origin> origins_;  // "Kind namespace/name"
  int files_read_again_ = 0;
};

}  // namespace ksched
