#include "api/input_sink.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace ksched::api {
namespace {

constexpr std::string_view kListSuffix = "List";

const Json* FindMember(const Json& object, std::string_view name) {
  const auto size = static_cast<rapidjson::SizeType>(name.size());
  const auto member = object.FindMember(Json(rapidjson::StringRef(name.data(), size)));
  return member == object.MemberEnd() ? nullptr : &member->value;
}

// A value that has been read, or a part of it: the item of a list that came as a whole.
class PartDocument final : public Document {
 public:
  PartDocument(const Json& root, const std::string& file, const Locator& locator, const FieldPath& base)
      : root_(root), file_(file), locator_(locator), base_(base) {}

  const Json& root() const override { return root_; }
  const std::string& file() const override { return file_; }
  Position Locate(const FieldPath& path) const override {
    std::vector<const FieldPath*> segments = base_.Segments();
    for (const FieldPath* segment : path.Segments()) segments.push_back(segment);
    return locator_.Locate(segments);
  }
  void EndReading() const override { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  const Json& root_;
  const std::string& file_;
  const Locator& locator_;
  const FieldPath& base_;
  mutable bool ended_ = false;
};

void AddIfAbsent(Json& object, std::string_view name, std::string_view value, JsonPool& pool) {
  if (value.empty() || FindMember(object, name) != nullptr) return;
  Json key(name.data(), static_cast<rapidjson::SizeType>(name.size()), pool);
  Json text(value.data(), static_cast<rapidjson::SizeType>(value.size()), pool);
  object.AddMember(key, text, pool);
}

}  // namespace

bool IsListKind(std::string_view kind) { return kind.ends_with(kListSuffix); }

std::string_view StringMember(const Json& object, std::string_view name) {
  const Json* value = object.IsObject() ? FindMember(object, name) : nullptr;
  if (value == nullptr || !value->IsString()) return {};
  return {value->GetString(), value->GetStringLength()};
}

std::string DescribeType(const Json& value) {
  switch (value.GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "a boolean";
    case rapidjson::kObjectType:
      return "an object";
    case rapidjson::kArrayType:
      return "an array";
    case rapidjson::kStringType:
      return "a string";
    case rapidjson::kNumberType:
      return "a number";
  }
  return "a value";
}

std::string NotAListMessage(std::string_view kind) {
  if (kind.empty()) return "there are items as in a list, but no kind";
  return fmt::format("there are items as in a list, but kind \"{}\" does not end in List", kind);
}

bool DocumentSink::Fail(Position position, std::string message) {
  problems_.push_back({.file = file_, .position = position, .object = {}, .field = {}, .message = std::move(message)});
  return false;
}

bool DocumentSink::Deliver(Json& root, JsonPool& pool, const Locator& locator) {
  if (root.IsNull()) return true;
  return DeliverPart(root, pool, locator, FieldPath());
}

bool DocumentSink::DeliverItem(Json& item, const ListHeader& list, JsonPool& pool, const Locator& locator) {
  return DeliverItemAt(item, list, pool, locator, FieldPath());
}

bool DocumentSink::DeliverItemAt(Json& item, const ListHeader& list, JsonPool& pool, const Locator& locator,
                                 const FieldPath& path) {
  if (item.IsObject()) {
    const std::string_view list_kind = list.kind;
    // "List" itself says nothing of its items.
    if (list_kind.size() > kListSuffix.size() && StringMember(item, "kind").empty()) {
      AddIfAbsent(item, "apiVersion", list.api_version, pool);
      AddIfAbsent(item, "kind", list_kind.substr(0, list_kind.size() - kListSuffix.size()), pool);
    }
  }
  return DeliverPart(item, pool, locator, path);
}

bool DocumentSink::DeliverPart(Json& value, JsonPool& pool, const Locator& locator, const FieldPath& path) {
  if (!value.IsObject()) {
    return Fail(locator.Locate(path.Segments()), fmt::format("expected an object, found {}", DescribeType(value)));
  }
  const std::string_view kind = StringMember(value, "kind");
  const Json* items = IsListKind(kind) ? FindMember(value, "items") : nullptr;
  if (items == nullptr) {
    ++delivered_;
    const PartDocument document(value, file_, locator, path);
    visit_(document);
    return !document.ended();
  }
  if (items->IsNull()) return true;  // how Go writes an empty list
  const FieldPath items_path = path.Child("items");
  if (!items->IsArray()) {
    return Fail(locator.Locate(items_path.Segments()),
                fmt::format("items of a {}: expected an array, found {}", kind, DescribeType(*items)));
  }
  const ListHeader header{std::string(StringMember(value, "apiVersion")), std::string(kind)};
  size_t index = 0;
  for (Json& item : value["items"].GetArray()) {
    if (!DeliverItemAt(item, header, pool, locator, items_path.Index(index++))) return false;
  }
  return true;
}

}  // namespace ksched::api
