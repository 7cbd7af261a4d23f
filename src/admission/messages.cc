#include "admission/messages.h"

#include <algorithm>

namespace ksched {
Error Forbidden(std::string_view resource, const api::ObjectMeta& metadata, const std::string& reason) {
  const std::string& name = !metadata.name.empty() ? metadata.name : metadata.generate_name;
  return Error{std::string(resource) + " \"" + (name.empty() ? "Unknown" : name) + "\" is forbidden: " + reason};
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) all += separator;
    all += parts[i];
  }
  return all;
}

std::string Aggregate(const std::vector<std::string>& reasons) {
  std::vector<std::string> once;
  for (const std::string& reason : reasons) {
    if (std::ranges::find(once, reason) == once.end()) once.push_back(reason);
  }
  const std::string all = Join(once, ", ");
  return once.size() == 1 ? all : "[" + all + "]";
}

}  // namespace ksched
