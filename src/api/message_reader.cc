#include "api/message_reader.h"

#include <protozero/exception.hpp>

namespace ksched::api {
namespace {

constexpr char kCutShort[] = "it ends in the middle of a field";
constexpr char kBadVarint[] = "a number is longer than ten bytes";
constexpr char kBadTag[] = "a field has an impossible number";
constexpr char kBadType[] = "a field is of an unknown wire type";

const char* FaultOf(const protozero::exception& error) {
  if (dynamic_cast<const protozero::varint_too_long_exception*>(&error) != nullptr) return kBadVarint;
  if (dynamic_cast<const protozero::invalid_tag_exception*>(&error) != nullptr) return kBadTag;
  if (dynamic_cast<const protozero::unknown_pbf_wire_type_exception*>(&error) != nullptr) return kBadType;
  return kCutShort;
}

}  // namespace

bool MessageReader::Skip() {
  pending_ = false;
  try {
    reader_.skip();
    return true;
  } catch (const protozero::exception& error) {
    return Fail(FaultOf(error));
  }
}

bool MessageReader::Next() {
  if (fault_ != nullptr || (pending_ && !Skip())) return false;
  try {
    if (!reader_.next()) return false;
  } catch (const protozero::exception& error) {
    return Fail(FaultOf(error));
  }
  number_ = static_cast<int>(reader_.tag());
  pending_ = true;
  return true;
}

bool MessageReader::ReadBytes(std::string_view& bytes) {
  if (reader_.wire_type() != protozero::pbf_wire_type::length_delimited) return Fail("expected bytes, found a number");
  pending_ = false;
  try {
    const protozero::data_view view = reader_.get_view();
    bytes = {view.data(), view.size()};
    return true;
  } catch (const protozero::exception& error) {
    return Fail(FaultOf(error));
  }
}

bool MessageReader::ReadNumber(int64_t& number) {
  if (reader_.wire_type() != protozero::pbf_wire_type::varint) {
    return Fail("expected a number, found something else");
  }
  pending_ = false;
  try {
    number = reader_.get_int64();
    return true;
  } catch (const protozero::exception& error) {
    return Fail(FaultOf(error));
  }
}

}  // namespace ksched::api
