// FieldPath: where in an object a value stands, as Kubernetes writes it: spec.containers[0].ports[1].hostPort,
// metadata.labels[app.kubernetes.io/name].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ksched::api {

// A chain on the stack: a child refers to its parent, which has to live longer. Text is made only for an error.
class FieldPath {
 public:
  FieldPath() = default;  // the root
  FieldPath Child(std::string_view name) const { return FieldPath(this, name, Kind::kField); }
  FieldPath Key(std::string_view key) const { return FieldPath(this, key, Kind::kKey); }  // of a map: written [key]
  FieldPath Index(size_t index) const {
    FieldPath path(this, {}, Kind::kIndex);
    path.index_ = index;
    return path;
  }

  enum class Kind { kRoot, kField, kKey, kIndex };
  Kind kind() const { return kind_; }
  const FieldPath* parent() const { return parent_; }
  std::string_view name() const { return name_; }
  size_t index() const { return index_; }
  std::vector<const FieldPath*> Segments() const;  // from the root's child down to this; empty for the root
  std::string ToString() const;                    // empty for the root

 private:
  FieldPath(const FieldPath* parent, std::string_view name, Kind kind) : parent_(parent), name_(name), kind_(kind) {}
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  Kind kind_ = Kind::kRoot;
};

}  // namespace ksched::api
