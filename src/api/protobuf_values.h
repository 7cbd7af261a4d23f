// Reading single values of protobuf messages. Each function takes the field that `in` stands at, and returns false
// after it has reported what is wrong with it to `context`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/field_path.h"
#include "api/message_reader.h"
#include "api/reporter.h"
#include "api/types.h"

namespace ksched::api {

// What reading one object goes along with.
class ProtobufContext {
 public:
  explicit ProtobufContext(ProblemReporter& reporter) : reporter_(reporter) {}

  bool Fail(const FieldPath& path, std::string message) {  // always false
    reporter_.Add(path, std::move(message));
    return false;
  }
  bool Fail(const FieldPath& path, const MessageReader& in) { return Fail(path, in.fault()); }
  // Counts an element of a list or a map: a message of two bytes is a large struct in memory.
  bool TakeElement(const FieldPath& path) { return --elements_left_ != 0 || Fail(path, kTooMany); }

 private:
  static constexpr size_t kMaxElements = 1'000'000;
  static constexpr char kTooMany[] = "more than a million elements in one object";

  ProblemReporter& reporter_;
  size_t elements_left_ = kMaxElements;
};

bool ReadProtobuf(MessageReader& in, std::string& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, bool& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, int32_t& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, int64_t& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, Quantity& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, IntOrString& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, std::vector<std::string>& out, const FieldPath& path, ProtobufContext& context);
// The entries of a map are fields of their own, one after the other: each call reads all of them that are left in the
// message, from a copy of `in`. Call it at the first of them only.
bool ReadProtobuf(MessageReader& in, StringMap& out, const FieldPath& path, ProtobufContext& context);
bool ReadProtobuf(MessageReader& in, ResourceList& out, const FieldPath& path, ProtobufContext& context);

bool ReadProtobufTime(MessageReader& in, TimeMap& out, const FieldPath& path, ProtobufContext& context);
// Whole seconds, as in Go. The zero time is absent.
bool ReadProtobufTime(MessageReader& in, std::optional<TimeNs>& out, const FieldPath& path, ProtobufContext& context);
// A list of messages that have a name (number 1): their names.
bool ReadProtobufNames(MessageReader& in, std::vector<std::string>& out, const FieldPath& path,
                       ProtobufContext& context);
bool ReadProtobufPresence(MessageReader& in, bool& out, const FieldPath& path, ProtobufContext& context);

}  // namespace ksched::api
