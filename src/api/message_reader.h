// One protobuf message, field by field. Nothing is copied, and nothing outside the bytes is looked at.
#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ksched::api {

// What stands before an object in protobuf: then a runtime.Unknown, the envelope, follows.
inline constexpr std::string_view kProtobufMagic("k8s\0", 4);

class MessageReader {
 public:
  // The bytes are the caller's and have to live as long.
  explicit MessageReader(std::string_view bytes) : reader_(bytes.data(), bytes.size()) {}

  // Moves on to the next field, past the one before if nobody has read it. False at the end, or at a fault().
  bool Next();
  int number() const { return number_; }

  // The value of the field; false at a fault(), also if it is of another wire type.
  bool ReadBytes(std::string_view& bytes);
  bool ReadNumber(int64_t& number);

  bool failed() const { return fault_ != nullptr; }
  std::string fault() const { return std::string("malformed protobuf: ") + (fault_ == nullptr ? "" : fault_); }

 private:
  bool Fail(const char* fault) {
    fault_ = fault;
    return false;
  }
  bool Skip();

  protozero::pbf_reader reader_;
  int number_ = 0;
  bool pending_ = false;
  const char* fault_ = nullptr;
};

}  // namespace ksched::api
