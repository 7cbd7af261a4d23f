// Finds where a field stands in the text of a JSON value that has been parsed before: only for messages.
#pragma once

#include <span>
#include <string_view>

#include "api/input_sink.h"
#include "api/json_window.h"

namespace ksched::api {

// Offset of the path's key or element within `json`, or of the nearest ancestor that is there.
size_t LocateInJson(std::string_view json, std::span<const FieldPath* const> path);

// The value that begins at `offset` of the window.
class JsonLocator final : public Locator {
 public:
  JsonLocator(const JsonWindow& window, uint64_t offset) : window_(window), offset_(offset) {}
  Position Locate(std::span<const FieldPath* const> path) const override {
    return window_.PositionOf(offset_ + LocateInJson(window_.text(offset_), path));
  }

 private:
  const JsonWindow& window_;
  uint64_t offset_;
};

}  // namespace ksched::api
