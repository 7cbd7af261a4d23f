#include "api/protobuf_values.h"

#include <algorithm>
#include <optional>

namespace ksched::api {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

bool ReadQuantity(std::string_view bytes, Quantity& out, const FieldPath& path, ProtobufContext& context) {
  MessageReader in(bytes);
  while (in.Next()) {
    std::string_view text;
    if (in.number() != 1) continue;
    if (!in.ReadBytes(text)) break;
    const Result<Quantity> quantity = Quantity::Parse(text);
    if (!quantity) {
      return context.Fail(path, "Invalid value: \"" + std::string(text) + "\": " + quantity.error().message);
    }
    out = *quantity;
  }
  return !in.failed() || context.Fail(path, in);
}

// Years that 64 bits of nanoseconds cannot say become the nearest that they can, as in JSON.
TimeNs FromSeconds(int64_t seconds) {
  if (seconds >= INT64_MAX / kNsPerSecond) return INT64_MAX;
  if (seconds <= INT64_MIN / kNsPerSecond) return INT64_MIN;
  return seconds * kNsPerSecond;
}

bool ReadTime(std::string_view bytes, std::optional<TimeNs>& out, const FieldPath& path, ProtobufContext& context) {
  out.reset();
  if (bytes.empty()) return true;
  out = 0;
  MessageReader in(bytes);
  while (in.Next()) {
    int64_t seconds = 0;
    if (in.number() != 1) continue;
    if (!in.ReadNumber(seconds)) break;
    out = FromSeconds(seconds);
  }
  return !in.failed() || context.Fail(path, in);
}

// Reads every entry {key = 1, value = 2} from here to the end of the message; `read` makes the value of its bytes.
template <typename Map, typename Read>
bool ReadMap(const MessageReader& at, Map& out, const FieldPath& path, ProtobufContext& context, const Read& read) {
  MessageReader in = at;
  const int number = in.number();
  typename Map::sequence_type entries = out.extract_sequence();
  do {
    if (in.number() != number) continue;
    std::string_view bytes, key, value;
    if (!context.TakeElement(path)) return false;
    if (!in.ReadBytes(bytes)) break;
    MessageReader entry(bytes);
    while (entry.Next()) {
      if (entry.number() == 1 && !entry.ReadBytes(key)) break;
      if (entry.number() == 2 && !entry.ReadBytes(value)) break;
    }
    if (entry.failed()) return context.Fail(path, entry);
    auto& added = entries.emplace_back();
    added.first = key;
    if (!read(value, added.second, path.Key(added.first))) return false;
  } while (in.Next());
  if (in.failed()) return context.Fail(path, in);
  // Go writes them sorted. Of a key that is there twice the last counts.
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::is_sorted(entries.begin(), entries.end(), less)) std::stable_sort(entries.begin(), entries.end(), less);
  if (std::adjacent_find(entries.begin(), entries.end(), same) != entries.end()) {
    std::reverse(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
    std::reverse(entries.begin(), entries.end());
  }
  out.adopt_sequence(boost::container::ordered_unique_range, std::move(entries));
  return true;
}

}  // namespace

bool ReadProtobuf(MessageReader& in, std::string& out, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  out = bytes;
  return true;
}

bool ReadProtobuf(MessageReader& in, bool& out, const FieldPath& path, ProtobufContext& context) {
  int64_t number = 0;
  if (!in.ReadNumber(number)) return context.Fail(path, in);
  out = number != 0;
  return true;
}

bool ReadProtobuf(MessageReader& in, int32_t& out, const FieldPath& path, ProtobufContext& context) {
  int64_t number = 0;
  if (!in.ReadNumber(number)) return context.Fail(path, in);
  out = static_cast<int32_t>(number);
  if (out == number) return true;
  return context.Fail(path, "number " + std::to_string(number) + " out of range: it has to fit 32 bits");
}

bool ReadProtobuf(MessageReader& in, int64_t& out, const FieldPath& path, ProtobufContext& context) {
  return in.ReadNumber(out) || context.Fail(path, in);
}

bool ReadProtobuf(MessageReader& in, Quantity& out, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  return ReadQuantity(bytes, out, path, context);
}

bool ReadProtobuf(MessageReader& in, IntOrString& out, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  out = {};
  MessageReader parts(bytes);
  int32_t number = 0;
  std::string text;
  int64_t type = 0;
  while (parts.Next()) {
    if (parts.number() == 1 && !ReadProtobuf(parts, type, path, context)) return false;
    if (parts.number() == 2 && !ReadProtobuf(parts, number, path, context)) return false;
    if (parts.number() == 3 && !ReadProtobuf(parts, text, path, context)) return false;
  }
  if (parts.failed()) return context.Fail(path, parts);
  if (type != 0 && type != 1) return context.Fail(path, "expected a number or a text, found something else");
  out.is_text = type == 1;
  if (out.is_text) {
    out.text = std::move(text);
  } else {
    out.number = number;
  }
  return true;
}

bool ReadProtobuf(MessageReader& in, std::vector<std::string>& out, const FieldPath& path, ProtobufContext& context) {
  if (!context.TakeElement(path)) return false;
  return ReadProtobuf(in, out.emplace_back(), path, context);
}

bool ReadProtobuf(MessageReader& in, StringMap& out, const FieldPath& path, ProtobufContext& context) {
  return ReadMap(in, out, path, context, [](std::string_view value, std::string& text, const FieldPath&) {
    text = value;
    return true;
  });
}

bool ReadProtobuf(MessageReader& in, ResourceList& out, const FieldPath& path, ProtobufContext& context) {
  return ReadMap(in, out, path, context, [&](std::string_view value, Quantity& quantity, const FieldPath& key) {
    return ReadQuantity(value, quantity, key, context);
  });
}

bool ReadProtobufTime(MessageReader& in, TimeMap& out, const FieldPath& path, ProtobufContext& context) {
  return ReadMap(in, out, path, context, [&](std::string_view value, TimeNs& time, const FieldPath& key) {
    std::optional<TimeNs> read;
    if (!ReadTime(value, read, key, context)) return false;
    time = read.value_or(0);
    return true;
  });
}

bool ReadProtobufTime(MessageReader& in, std::optional<TimeNs>& out, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  return ReadTime(bytes, out, path, context);
}

bool ReadProtobufNames(MessageReader& in, std::vector<std::string>& out, const FieldPath& path,
                       ProtobufContext& context) {
  std::string_view bytes;
  if (!context.TakeElement(path)) return false;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  std::string& name = out.emplace_back();
  MessageReader element(bytes);
  while (element.Next()) {
    if (element.number() == 1 && !ReadProtobuf(element, name, path, context)) return false;
  }
  return !element.failed() || context.Fail(path, element);
}

bool ReadProtobufPresence(MessageReader& in, bool& out, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  out = true;
  return true;
}

}  // namespace ksched::api
