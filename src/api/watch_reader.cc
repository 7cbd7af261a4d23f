// Watches in protobuf.
#include "api/watch_reader.h"

#include <utility>

#include "api/input_limits.h"
#include "api/message_reader.h"
#include "api/piece_buffer.h"

namespace ksched::api {
namespace {

constexpr size_t kLengthBytes = 4;

size_t LengthOf(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

// Two fields of bytes of one message; the last one counts where one comes several times.
Result<void> ReadFields(std::string_view message, int first_number, std::string_view& first, int second_number,
                        std::string_view& second) {
  MessageReader in(message);
  while (in.Next()) {
    if (in.number() == first_number) {
      in.ReadBytes(first);
    } else if (in.number() == second_number) {
      in.ReadBytes(second);
    }
  }
  if (in.failed()) return Error{in.fault()};
  return {};
}

Result<void> ReadEnvelope(std::string_view object, WatchEvent& event) {
  constexpr int kTypeMeta = 1, kRaw = 2, kContentEncoding = 3;
  if (!object.starts_with(kProtobufMagic)) return Error{"the object of an event is no object in protobuf"};
  MessageReader in(object.substr(kProtobufMagic.size()));
  std::string_view type_meta, encoding;
  while (in.Next()) {
    if (in.number() == kTypeMeta) in.ReadBytes(type_meta);
    if (in.number() == kRaw) in.ReadBytes(event.protobuf);
    if (in.number() == kContentEncoding) in.ReadBytes(encoding);
  }
  if (in.failed()) return Error{in.fault()};
  if (!encoding.empty()) {
    return Error{"an event has the content encoding " + std::string(encoding) + ", which cannot be read"};
  }
  constexpr int kApiVersion = 1, kKind = 2;
  return ReadFields(type_meta, kApiVersion, event.api_version, kKind, event.kind);
}

// What a watch needs of metadata: it comes first in every object.
Result<void> ReadMetadata(WatchEvent& event) {
  constexpr int kMetadata = 1, kResourceVersion = 6, kAnnotations = 12, kKey = 1, kValue = 2;
  MessageReader object(event.protobuf);
  std::string_view metadata;
  while (metadata.empty() && object.Next()) {
    if (object.number() == kMetadata) object.ReadBytes(metadata);
  }
  if (object.failed()) return Error{object.fault()};
  const bool bookmark = event.type == "BOOKMARK";
  MessageReader in(metadata);
  while (in.Next()) {
    if (in.number() == kResourceVersion) {
      in.ReadBytes(event.resource_version);
      if (!bookmark) break;
    } else if (in.number() == kAnnotations && bookmark) {
      std::string_view entry, key, value;
      if (!in.ReadBytes(entry)) break;
      if (Result<void> read = ReadFields(entry, kKey, key, kValue, value); !read) return read;
      if (key == "k8s.io/initial-events-end") event.initial_events_end = value == "true";
    }
  }
  if (in.failed()) return Error{in.fault()};
  return {};
}

Result<void> ReadEvent(std::string_view message, WatchEvent& event) {
  constexpr int kType = 1, kObject = 2, kRaw = 1, kNone = 0;
  std::string_view extension, object, none;
  if (Result<void> read = ReadFields(message, kType, event.type, kObject, extension); !read) return read;
  if (event.type.empty()) return Error{"an event has no type"};
  if (Result<void> read = ReadFields(extension, kRaw, object, kNone, none); !read) return read;
  if (event.type == "ERROR") {
    event.status = object;
    return {};
  }
  if (Result<void> read = ReadEnvelope(object, event); !read) return read;
  return ReadMetadata(event);
}

class ProtobufWatchReader final : public WatchReader {
 public:
  explicit ProtobufWatchReader(WatchVisitor visit) : visit_(std::move(visit)) {}

  Result<void> Feed(std::string_view chunk) override {
    return held_.Feed(chunk, [this](std::string_view& rest) { return Consume(rest); });
  }

  bool complete() const override { return held_.empty(); }

 private:
  // Goes on as long as what is there suffices; leaves the rest in `bytes`, and says how much it waits for.
  Result<void> Consume(std::string_view& bytes) {
    held_.NeedAtLeast(kLengthBytes);
    while (bytes.size() >= kLengthBytes) {
      const size_t length = LengthOf(bytes);
      if (length > kMaxObjectBytes) return Error{TooLargeMessage()};
      held_.NeedAtLeast(kLengthBytes + length);
      if (bytes.size() < kLengthBytes + length) return {};
      WatchEvent event;
      Result<void> done = ReadEvent(bytes.substr(kLengthBytes, length), event);
      if (done) done = visit_(event);
      if (!done) return done;
      bytes.remove_prefix(kLengthBytes + length);
      held_.NeedAtLeast(kLengthBytes);
    }
    return {};
  }

  WatchVisitor visit_;
  PieceBuffer held_;  // an event that is not there as a whole
};

}  // namespace

std::unique_ptr<WatchReader> MakeProtobufWatchReader(WatchVisitor visit) {
  return std::make_unique<ProtobufWatchReader>(std::move(visit));
}

}  // namespace ksched::api
