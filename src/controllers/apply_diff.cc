#include "controllers/apply_diff.h"

#include <algorithm>
#include <vector>

#include "api/json_values.h"
#include "api/quantity.h"
#include "controllers/apply_schema.h"

namespace ksched::controllers {
namespace {

using rapidjson::Value;
using Path = api::FieldPath;

std::string_view NameOf(const Value::Member& member) {
  return {member.name.GetString(), member.name.GetStringLength()};
}

// Nothing for what is absent or null.
const Value* Member(const Value* object, std::string_view name) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  for (auto member = object->MemberBegin(); member != object->MemberEnd(); ++member) {
    if (NameOf(*member) == name) return member->value.IsNull() ? nullptr : &member->value;
  }
  return nullptr;
}

std::optional<api::Quantity> QuantityOf(const Value& value) {
  const std::string text =
      value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : api::CanonicalJson(value);
  Result<api::Quantity> quantity = api::Quantity::Parse(text);
  if (!quantity) return std::nullopt;
  quantity->RoundUpToMilli();
  return *quantity;
}

bool IsSameScalar(const FieldName& field, const Value& a, const Value& b) {
  if (IsQuantity(field)) {
    const std::optional<api::Quantity> first = QuantityOf(a), second = QuantityOf(b);
    if (first && second) return *first == *second;
  }
  return a == b;
}

// What tells an item of a merged list from the others, as text. A port's protocol may be left out.
std::string KeyOf(const Value& item, std::span<const std::string_view> keys) {
  std::string text;
  for (const std::string_view key : keys) {
    const Value* value = Member(&item, key);
    if (key == "protocol" && (value == nullptr || *value == "TCP")) continue;
    if (!text.empty()) text += '/';
    if (value != nullptr) text += value->IsString() ? value->GetString() : api::CanonicalJson(*value);
  }
  return text;
}

const Value* ItemOf(const Value* list, std::span<const std::string_view> keys, const std::string& key) {
  if (list == nullptr || !list->IsArray()) return nullptr;
  for (const Value& item : list->GetArray()) {
    if (KeyOf(item, keys) == key) return &item;
  }
  return nullptr;
}

struct Triple {
  const Value* manifest = nullptr;
  const Value* live = nullptr;
  const Value* applied = nullptr;
};

// Each function gives the first change, or nothing. `whole`: the values are inside of a list that is replaced as a
// whole, so that what only the live object has goes.
using Change = std::optional<std::string>;

Change CompareObjects(const Triple& values, std::string_view name, const Path& path, bool whole);
Change CompareLists(const Triple& values, const FieldName& field, const Path& path, bool whole);

Change CompareValues(const Triple& values, const FieldName& field, const Path& path, bool whole) {
  if (values.manifest->IsObject() && values.live->IsObject()) return CompareObjects(values, field.name, path, whole);
  if (values.manifest->IsArray() && values.live->IsArray()) return CompareLists(values, field, path, whole);
  if (IsSameScalar(field, *values.manifest, *values.live)) return std::nullopt;
  return path.ToString();
}

Change CompareMember(const Triple& holders, const FieldName& field, const Path& path, bool whole) {
  const Triple values{Member(holders.manifest, field.name), Member(holders.live, field.name),
                      Member(holders.applied, field.name)};
  if (values.manifest != nullptr && values.live != nullptr) return CompareValues(values, field, path, whole);
  if (values.manifest != nullptr) {
    return IsAsGoodAsAbsent(field, *values.manifest) ? std::nullopt : Change(path.ToString());
  }
  const bool goes = values.live != nullptr && (whole || values.applied != nullptr);
  return goes && !IsDefault(field, *values.live, *holders.live) ? Change(path.ToString()) : std::nullopt;
}

// A map's keys are written in brackets, an object's fields after a dot.
Path Step(const Path& path, const FieldName& field) {
  constexpr std::string_view kMaps[] = {"labels", "annotations", "nodeSelector", "matchLabels",
                                        "limits", "requests",    "overhead"};
  return std::ranges::count(kMaps, field.parent) > 0 ? path.Key(field.name) : path.Child(field.name);
}

Change CompareObjects(const Triple& values, std::string_view name, const Path& path, bool whole) {
  std::vector<std::string_view> seen;
  for (const Value* object : {values.manifest, values.applied, values.live}) {
    if (object == nullptr || !object->IsObject()) continue;
    for (auto member = object->MemberBegin(); member != object->MemberEnd(); ++member) {
      const FieldName field{NameOf(*member), name};
      if (std::ranges::count(seen, field.name) > 0) continue;
      seen.push_back(field.name);
      if (Change change = CompareMember(values, field, Step(path, field), whole)) return change;
    }
  }
  return std::nullopt;
}

Change CompareMerged(const Triple& values, const FieldName& field, const Path& path,
                     std::span<const std::string_view> keys) {
  const Value* last = nullptr;  // the live item of the one before: items stand in the list's memory in their order
  for (const Value& item : values.manifest->GetArray()) {
    const std::string key = KeyOf(item, keys);
    const Triple items{&item, ItemOf(values.live, keys, key), ItemOf(values.applied, keys, key)};
    const Path at = path.Key(key);
    if (items.live == nullptr) return at.ToString();
    if (Change change = CompareValues(items, {field.name, field.name}, at, false)) return change;
    if (last != nullptr && items.live < last) return path.ToString();
    last = items.live;
  }
  if (values.applied == nullptr || !values.applied->IsArray()) return std::nullopt;
  for (const Value& item : values.applied->GetArray()) {
    const std::string key = KeyOf(item, keys);
    const bool goes = ItemOf(values.manifest, keys, key) == nullptr && ItemOf(values.live, keys, key) != nullptr;
    if (goes) return path.Key(key).ToString();
  }
  return std::nullopt;
}

Change CompareLists(const Triple& values, const FieldName& field, const Path& path, bool whole) {
  const std::span<const std::string_view> keys = MergeKeys(field.name);
  if (!keys.empty() && !whole) return CompareMerged(values, field, path, keys);
  if (values.manifest->Size() != values.live->Size()) return path.ToString();
  for (rapidjson::SizeType i = 0; i < values.manifest->Size(); ++i) {
    const Triple items{&(*values.manifest)[i], &(*values.live)[i], nullptr};
    if (Change change = CompareValues(items, {field.name, field.name}, path.Index(i), true)) return change;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FirstTemplateChange(const Value& manifest_template, const Value& live_template,
                                               const Value* last_applied_template, const api::FieldPath& at) {
  return CompareValues({&manifest_template, &live_template, last_applied_template}, {"template", "spec"}, at, false);
}

}  // namespace ksched::controllers
