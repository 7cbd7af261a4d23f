// A protobuf message as far as reports of problems need it: where it came from, and what its object is called.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/document.h"

namespace ksched::api {

class MessageDocument : public Document {
 public:
  // All are the caller's and have to live as long.
  MessageDocument(const std::string& source, std::string_view kind, std::string_view bytes)
      : source_(source), kind_(kind), bytes_(bytes) {}

  const rapidjson::Value& root() const override;  // kind, metadata.name and namespace: made when somebody asks
  const std::string& file() const override { return source_; }
  Position Locate(const FieldPath&) const override { return {}; }

 private:
  const std::string& source_;
  std::string_view kind_, bytes_;
  mutable std::optional<rapidjson::Document> root_;
};

}  // namespace ksched::api
