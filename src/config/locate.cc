#include "config/locate.h"

#include <algorithm>
#include <charconv>
#include <deque>

#include "api/field_path.h"

namespace ksched::config {

std::string Place(const api::Document& document, std::string_view field) {
  std::deque<api::FieldPath> path(1);  // a path refers to its parent, so they have to stay where they are
  while (!field.empty()) {
    if (field.front() == '.') {
      field.remove_prefix(1);
    } else if (field.front() == '[') {
      const std::string_view key = field.substr(1, field.find(']') - 1);
      size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool number = error == std::errc() && end == key.data() + key.size();
      path.push_back(number ? path.back().Index(index) : path.back().Key(key));
      field.remove_prefix(std::min(key.size() + 2, field.size()));
    } else {
      const std::string_view name = field.substr(0, field.find_first_of(".["));
      path.push_back(path.back().Child(name));
      field.remove_prefix(name.size());
    }
  }
  const api::Position position = document.Locate(path.back());
  std::string place = document.file() == "-" ? "<stdin>" : document.file();
  if (position.line > 0) place += ":" + std::to_string(position.line);
  return place;
}

}  // namespace ksched::config
