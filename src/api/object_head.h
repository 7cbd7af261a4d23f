// What identifies an object and its version, read without the rest of it.
#pragma once

#include <string_view>

#include "api/document.h"
#include "base/result.h"

namespace ksched::api {

// Views of the bytes, or of the document, that it was read from. Empty: not said.
struct ObjectHead {
  std::string_view ns, name, uid, resource_version;
};

// Of an object in protobuf, without envelope. Fails for bytes that are no message.
Result<ObjectHead> ReadHead(std::string_view protobuf);
// What is no text is taken for empty.
ObjectHead ReadHead(const Document& document);

// A resourceVersion as a number: versions of one resource can be compared by it. 0 if it is none.
uint64_t VersionNumber(std::string_view resource_version);

}  // namespace ksched::api
