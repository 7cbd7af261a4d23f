// One object out of a larger JSON text: where it stands in that is of no use to anybody.
#pragma once

#include <string>

#include "api/document.h"

namespace ksched::api {

class ItemDocument final : public Document {
 public:
  // Both are the caller's and have to live as long.
  ItemDocument(const rapidjson::Value& root, const std::string& name) : root_(root), name_(name) {}
  const rapidjson::Value& root() const override { return root_; }
  const std::string& file() const override { return name_; }
  Position Locate(const FieldPath&) const override { return {}; }

 private:
  const rapidjson::Value& root_;
  const std::string& name_;
};

}  // namespace ksched::api
