// Lists in protobuf. The body nests two messages whose lengths may be that of a whole cluster, so they are not held:
// runtime.Unknown around the list, and the list around its items.
#include "api/list_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/input_limits.h"
#include "api/message_reader.h"
#include "api/piece_buffer.h"

namespace ksched::api {
namespace {

constexpr char kTooLong[] = "malformed protobuf: a number is longer than ten bytes";
enum WireType : int { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Where a number of seven bits a byte ends; nothing if that is not there yet.
struct Varint {
  uint64_t value = 0;
  size_t size = 0;
};
Result<std::optional<Varint>> TakeVarint(std::string_view bytes) {
  constexpr size_t kMaxSize = 10;
  Varint read;
  for (; read.size < bytes.size(); ++read.size) {
    if (read.size == kMaxSize) return Error{kTooLong};
    const auto byte = static_cast<unsigned char>(bytes[read.size]);
    read.value |= static_cast<uint64_t>(byte & 0x7F) << (7 * read.size);
    if (byte < 0x80) {
      ++read.size;
      return std::optional(read);
    }
  }
  return std::optional<Varint>();
}

// A field's head: its number, and how many bytes its value has. Nothing if the head is not there yet.
struct FieldHead {
  int number = 0;
  WireType type = kVarint;
  size_t size = 0;      // of the head itself
  uint64_t length = 0;  // of the value
};
Result<std::optional<FieldHead>> TakeHead(std::string_view bytes) {
  const auto tag = TakeVarint(bytes);
  if (!tag) return tag.error();
  if (!*tag) return std::optional<FieldHead>();
  FieldHead head{.type = static_cast<WireType>((*tag)->value & 7), .size = (*tag)->size};
  const uint64_t number = (*tag)->value >> 3;
  if (number == 0 || number >= uint64_t{1} << 29) return Error{"malformed protobuf: a field has an impossible number"};
  head.number = static_cast<int>(number);
  if (head.type == kFixed64 || head.type == kFixed32) {
    head.length = head.type == kFixed64 ? 8 : 4;
    return std::optional(head);
  }
  if (head.type != kBytes && head.type != kVarint) {
    return Error{"malformed protobuf: a field is of an unknown wire type"};
  }
  const auto next = TakeVarint(bytes.substr(head.size));
  if (!next) return next.error();
  if (!*next) return std::optional<FieldHead>();
  if (head.type == kVarint) {
    head.length = (*next)->size;
  } else {
    head.size += (*next)->size;
    head.length = (*next)->value;
  }
  return std::optional(head);
}

// One text of a message that is small; empty if it is not there.
Result<std::string> TextField(std::string_view message, int number) {
  std::string text;
  MessageReader in(message);
  while (in.Next()) {
    std::string_view bytes;
    if (in.number() == number && in.ReadBytes(bytes)) text = bytes;
  }
  if (in.failed()) return Error{in.fault()};
  return text;
}

class ProtobufListReader : public ListReader {
 public:
  explicit ProtobufListReader(std::function<Result<void>(std::string_view)> visit) : visit_(std::move(visit)) {}

  Result<void> Feed(std::string_view chunk) override {
    return held_.Feed(chunk, [this](std::string_view& rest) { return Consume(rest); });
  }

  Result<ListMeta> Finish() override {
    if (where_ == Where::kStart) return Error{held_.empty() ? "the answer is empty" : kNoList};
    if (where_ == Where::kList && (!held_.empty() || skip_ != 0)) {
      return Error{"the list ends in the middle of an item"};
    }
    if (where_ != Where::kEnd || !held_.empty() || skip_ != 0) return Error{"the list is cut short"};
    return std::move(meta_);
  }

 private:
  enum class Where { kStart, kEnvelope, kList, kEnd };
  static constexpr char kNoList[] = "the answer is no list in protobuf";
  static constexpr char kGoesOn[] = "the answer goes on after the list";

  // Goes on as long as what is there suffices; leaves the rest in `bytes`, and says how much it waits for.
  Result<void> Consume(std::string_view& bytes) {
    held_.NeedAtLeast(0);
    for (;;) {
      if (skip_ != 0) {
        const auto skipped = static_cast<size_t>(std::min<uint64_t>(skip_, bytes.size()));
        bytes.remove_prefix(skipped);
        skip_ -= skipped;
        if (skip_ != 0) return {};
      }
      if (where_ == Where::kStart) {
        if (!kProtobufMagic.starts_with(bytes.substr(0, kProtobufMagic.size()))) return Error{kNoList};
        if (bytes.size() < kProtobufMagic.size()) return {};
        bytes.remove_prefix(kProtobufMagic.size());
        where_ = Where::kEnvelope;
      }
      if (where_ == Where::kList && list_left_ == 0) where_ = Where::kEnd;
      Result<bool> more = where_ == Where::kList ? ConsumeListField(bytes) : ConsumeEnvelopeField(bytes);
      if (!more) return std::move(more).error();
      if (!*more) return {};
    }
  }

  // Both answer whether there may be more in `bytes`.
  Result<bool> ConsumeEnvelopeField(std::string_view& bytes) {
    constexpr int kTypeMeta = 1, kRaw = 2, kContentEncoding = 3, kContentType = 4;
    const bool before = where_ == Where::kEnvelope;
    const auto head = TakeHead(bytes);
    if (!head) return before ? head.error() : Error{kGoesOn};
    if (!*head) return false;
    const FieldHead& field = **head;
    const bool expected = before ? field.number == kTypeMeta || field.number == kRaw
                                 : field.number == kContentEncoding || field.number == kContentType;
    if (!expected || field.type != kBytes) return Error{before ? kNoList : kGoesOn};
    if (field.number == kRaw && !is_status_) {
      if (kind_.empty()) return Error{kNoList};
      bytes.remove_prefix(field.size);
      list_left_ = field.length;
      where_ = Where::kList;
      return true;
    }
    const std::optional<std::string_view> value = TakeValue(bytes, field);
    if (!value) return field.length > kMaxObjectBytes ? Result<bool>(Error{TooLargeMessage()}) : false;
    if (field.number == kTypeMeta) return ReadTypeMeta(*value);
    if (field.number == kRaw) return StatusError(*value);
    if (field.number == kContentEncoding && !value->empty()) {
      return Error{"the list has the content encoding " + std::string(*value) + ", which cannot be read"};
    }
    return true;
  }

  Result<bool> ConsumeListField(std::string_view& bytes) {
    constexpr int kMetadata = 1, kItems = 2;
    const auto head = TakeHead(bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(bytes.size(), list_left_))));
    if (!head) return head.error();
    if (!*head) return bytes.size() >= list_left_ ? Overrun() : false;
    const FieldHead& field = **head;
    if (field.size > list_left_ || field.length > list_left_ - field.size) return Overrun();
    const bool wanted = field.number == kMetadata || field.number == kItems;
    if (!wanted) {
      bytes.remove_prefix(field.size);
      skip_ = field.length;
      list_left_ -= field.size + field.length;
      return true;
    }
    if (field.type != kBytes) return Error{"malformed protobuf: expected bytes, found a number"};
    if (field.length > kMaxObjectBytes) return Error{TooLargeMessage()};
    const std::optional<std::string_view> value = TakeValue(bytes, field);
    if (!value) return false;
    list_left_ -= field.size + field.length;
    Result<void> done = field.number == kItems ? visit_(*value) : ReadMeta(*value);
    if (!done) return std::move(done).error();
    return true;
  }

  static Result<bool> Overrun() { return Error{"malformed protobuf: an item is longer than its list"}; }

  // The value if all of it is there; else the buffer is told how much that takes.
  std::optional<std::string_view> TakeValue(std::string_view& bytes, const FieldHead& field) {
    if (field.length > bytes.size() - field.size) {
      if (field.length <= kMaxObjectBytes) held_.NeedAtLeast(field.size + static_cast<size_t>(field.length));
      return std::nullopt;
    }
    const std::string_view value = bytes.substr(field.size, static_cast<size_t>(field.length));
    bytes.remove_prefix(field.size + value.size());
    return value;
  }

  Result<bool> ReadTypeMeta(std::string_view message) {
    constexpr int kKind = 2;
    Result<std::string> kind = TextField(message, kKind);
    if (!kind) return std::move(kind).error();
    kind_ = std::move(kind).value();
    is_status_ = kind_ == "Status";
    if (!is_status_ && !kind_.ends_with("List")) return Error{"expected a list, found a " + kind_};
    return true;
  }

  static Result<bool> StatusError(std::string_view message) {
    constexpr int kMessage = 3;
    Result<std::string> text = TextField(message, kMessage);
    if (!text) return std::move(text).error();
    return Error{text->empty() ? "the server answered with a Status without a message" : std::move(text).value()};
  }

  Result<void> ReadMeta(std::string_view message) {
    constexpr int kResourceVersion = 2, kContinue = 3;
    Result<std::string> version = TextField(message, kResourceVersion), token = TextField(message, kContinue);
    if (!version) return std::move(version).error();
    if (!token) return std::move(token).error();
    meta_ = {std::move(version).value(), std::move(token).value()};
    return {};
  }

  std::function<Result<void>(std::string_view)> visit_;
  ListMeta meta_;
  std::string kind_;
  bool is_status_ = false;
  Where where_ = Where::kStart;
  uint64_t list_left_ = 0;  // bytes of the list that are not consumed
  uint64_t skip_ = 0;       // bytes that nobody wants
  PieceBuffer held_;
};

}  // namespace

std::unique_ptr<ListReader> MakeProtobufListReader(std::function<Result<void>(std::string_view item)> visit) {
  return std::make_unique<ProtobufListReader>(std::move(visit));
}

}  // namespace ksched::api
