// For tests: builds protobuf messages by hand.
#pragma once

#include <protozero/pbf_writer.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace ksched::api {

class MessageBuilder {
 public:
  MessageBuilder& Bytes(int number, std::string_view value) {
    protozero::pbf_writer(bytes_).add_string(static_cast<protozero::pbf_tag_type>(number), value.data(), value.size());
    return *this;
  }
  MessageBuilder& Bytes(int number, const MessageBuilder& message) { return Bytes(number, message.bytes_); }
  MessageBuilder& Number(int number, int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(static_cast<protozero::pbf_tag_type>(number), value);
    return *this;
  }
  MessageBuilder& Entry(int number, std::string_view key, std::string_view value) {
    return Bytes(number, MessageBuilder().Bytes(1, key).Bytes(2, value));
  }
  const std::string& Done() const { return bytes_; }

 private:
  std::string bytes_;
};

// metadata: a name and a namespace.
inline MessageBuilder MetaMessage(std::string_view name, std::string_view ns = "shop") {
  return MessageBuilder().Bytes(1, name).Bytes(3, ns);
}

// What the API server answers with: runtime.Unknown around `message`.
inline std::string Envelope(std::string_view kind, const std::string& message) {
  const MessageBuilder type = MessageBuilder().Bytes(1, "v1").Bytes(2, kind);
  return std::string("k8s\0", 4) + MessageBuilder().Bytes(1, type).Bytes(2, message).Bytes(3, "").Bytes(4, "").Done();
}

}  // namespace ksched::api
