#include "api/field_path.h"

#include <algorithm>

namespace ksched::api {

std::vector<const FieldPath*> FieldPath::Segments() const {
  std::vector<const FieldPath*> segments;
  for (const FieldPath* path = this; path != nullptr && path->kind_ != Kind::kRoot; path = path->parent_) {
    segments.push_back(path);
  }
  std::reverse(segments.begin(), segments.end());
  return segments;
}

std::string FieldPath::ToString() const {
  std::string text;
  for (const FieldPath* segment : Segments()) {
    switch (segment->kind_) {
      case Kind::kField:
        if (!text.empty()) text += '.';
        text += segment->name_;
        break;
      case Kind::kKey:
        text.append("[").append(segment->name_).append("]");
        break;
      case Kind::kIndex:
        text.append("[").append(std::to_string(segment->index_)).append("]");
        break;
      case Kind::kRoot:
        break;
    }
  }
  return text;
}

}  // namespace ksched::api
