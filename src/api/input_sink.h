// Where readers of YAML and JSON put what they have read: takes lists apart, tells the visitor, collects problems.
#pragma once

#include <rapidjson/document.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "api/document.h"

namespace ksched::api {

using Json = rapidjson::Value;
using JsonPool = rapidjson::MemoryPoolAllocator<>;

// Finds positions in the source of one value that has been read.
class Locator {
 public:
  virtual ~Locator() = default;
  // Of the nearest ancestor if the path does not exist.
  virtual Position Locate(std::span<const FieldPath* const> path) const = 0;
};

// What a list says of its items: those of a typed list (PodList) leave their own apiVersion and kind out.
struct ListHeader {
  std::string api_version, kind;
};

bool IsListKind(std::string_view kind);
std::string_view StringMember(const Json& object, std::string_view name);  // empty when absent or no string
std::string DescribeType(const Json& value);                               // "a number", "an array", "null"
std::string NotAListMessage(std::string_view kind);                        // items came, and then the kind is no list

class DocumentSink {
 public:
  DocumentSink(std::string file, const std::function<void(const Document&)>& visit, Problems& problems)
      : file_(std::move(file)), visit_(visit), problems_(problems) {}

  // Both return false after a problem, which ends the reading. An empty document (null) is passed over.
  bool Deliver(Json& root, JsonPool& pool, const Locator& locator);
  bool DeliverItem(Json& item, const ListHeader& list, JsonPool& pool, const Locator& locator);

  bool Fail(Position position, std::string message);  // always false

  size_t delivered() const { return delivered_; }

 private:
  bool DeliverPart(Json& value, JsonPool& pool, const Locator& locator, const FieldPath& path);
  bool DeliverItemAt(Json& item, const ListHeader& list, JsonPool& pool, const Locator& locator, const FieldPath& path);

  std::string file_;
  const std::function<void(const Document&)>& visit_;
  Problems& problems_;
  size_t delivered_ = 0;
};

}  // namespace ksched::api
