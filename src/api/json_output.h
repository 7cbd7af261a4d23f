// Writes JSON values one after the other into a text.
#pragma once

#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json_writer.h"
#include "api/types.h"

namespace ksched::api {

class JsonOutput {
 public:
  // Appends to `out`, which is the caller's and has to live as long.
  JsonOutput(std::string& out, const JsonOptions& options) : stream_{out}, writer_(stream_), options_(options) {}

  void StartObject() { writer_.StartObject(); }
  void EndObject() { writer_.EndObject(); }
  void StartArray() { writer_.StartArray(); }
  void EndArray() { writer_.EndArray(); }
  void Key(std::string_view name) { writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size())); }
  void Null() { writer_.Null(); }
  void Raw(std::string_view json) { writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType); }

  void Write(const std::string& text) { WriteText(text); }
  void Write(bool value) { writer_.Bool(value); }
  void Write(int32_t value) { writer_.Int(value); }
  void Write(int64_t value) { writer_.Int64(value); }
  void Write(const Quantity& quantity) { WriteText(quantity.ToString()); }
  void Write(const IntOrString& value);
  void Write(const StringMap& map);
  void Write(const ResourceList& map);
  void WriteTime(TimeNs time);
  void WriteTime(const TimeMap& times);

 private:
  struct Stream {
    using Ch = char;
    std::string& out;
    void Put(char c) { out.push_back(c); }
    void Flush() {}
  };

  void WriteText(std::string_view text);

  Stream stream_;
  rapidjson::Writer<Stream> writer_;
  const JsonOptions& options_;
};

// Text that is UTF-8, with U+FFFD for each byte that is not.
std::string ValidUtf8(std::string_view text);

}  // namespace ksched::api
