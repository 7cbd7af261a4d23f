// One JSON value, parsed in place into a DOM: limits on nesting and size, and no key twice in an object.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <memory>
#include <string>

#include "api/input_sink.h"

namespace ksched::api {

// How parsing one value ended. Offsets are from the start of the text.
struct JsonOutcome {
  enum class Kind {
    kValue,       // root() is the value, `end` is behind it
    kIncomplete,  // the text ended before the value was complete, or just where it might go on
    kSyntax,      // `message` at `end`: no JSON
    kDuplicate,   // the key `message` at `end`, and before at `first`
    kLimit,       // `message` at `end`: JSON, but too large, too deep, or a number out of range
  };
  Kind kind = Kind::kValue;
  size_t end = 0;
  size_t first = 0;
  std::string message;
};

class JsonParser {
 public:
  JsonParser();

  // Destroys the text, which ends in NUL at text[size]. Unless it is the `last` of the stream, a value that reaches its
  // very end may go on. The value refers to the text and is good until
  // the next call.
  JsonOutcome Parse(char* text, size_t size, bool last);
  Json& root() { return dom_; }
  JsonPool& pool() { return pool_; }

 private:
  // A document whose stack starts large enough for most objects.
  using Dom = rapidjson::GenericDocument<rapidjson::UTF8<>, JsonPool>;

  std::unique_ptr<char[]> pool_buffer_;  // before the pool, which borrows it
  JsonPool pool_;
  Dom dom_;
};

}  // namespace ksched::api
