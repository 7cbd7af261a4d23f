// Reads a stream of JSON values, lists item by item.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/input_sink.h"
#include "api/json_parser.h"
#include "api/json_window.h"

namespace ksched::api {

class JsonReader {
 public:
  JsonReader(JsonWindow& window, DocumentSink& sink) : window_(window), sink_(sink) {}

  enum class Outcome {
    kDone,     // everything is read, or a problem was reported
    kNotJson,  // the first value is no JSON, but may be YAML: nothing was delivered, all is still in the window
    kYaml,     // JSON up to position(), and there YAML begins ("---" or a comment)
  };
  Outcome Read();

  uint64_t position() const { return at_; }
  // After kNotJson: what to report if it is no YAML either.
  Position error_position() const { return error_position_; }
  const std::string& error() const { return error_; }

 private:
  enum class Step { kOk, kStop, kNotJson };
  struct Header {  // what is known of an object that may be a list
    ListHeader list;
    bool kind_seen = false;
    std::vector<std::pair<std::string, int>> keys;  // with their lines
  };

  char Peek();  // the next character that is no space; NUL at the end
  bool Take(char c);
  bool AtYaml();
  JsonOutcome Parse();

  Step ReadObject();
  Step ReadWhole();
  bool FindItems(Header& header);
  bool ReadKey(Header& header, JsonOutcome& failure);
  void NoteMember(Header& header);
  bool StreamableItems(const Header& header);
  Step ReadItems(Header& header);
  Step ReadRest(Header& header);
  Step Fail(const JsonOutcome& outcome, uint64_t start);
  Step Unexpected(const std::string& expected);

  JsonWindow& window_;
  DocumentSink& sink_;
  JsonParser parser_;
  uint64_t at_ = 0;
  uint64_t keep_ = 0;  // the window may give up what lies before
  bool first_value_ = true;
  Position error_position_;
  std::string error_;
};

}  // namespace ksched::api
