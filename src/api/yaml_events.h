// libyaml's events, pulled from an input source.
#pragma once

#include <yaml.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "api/document.h"
#include "api/input_source.h"

namespace ksched::api {

class YamlEvents {
 public:
  YamlEvents(InputSource& source, int lines_before);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  // False on a problem: see problem_position() and problem(). The event is good until the next call.
  bool Next();
  const yaml_event_t& event() const { return event_; }
  Position PositionOf(const yaml_mark_t& mark) const;

  Position problem_position() const { return problem_position_; }
  const std::string& problem() const { return problem_; }

 private:
  static int Feed(void* self, unsigned char* buffer, size_t size, size_t* count);
  void Describe();
  int LineOfByte(uint64_t offset) const;

  InputSource& source_;
  int lines_before_;
  bool usable_ = false, has_event_ = false;
  yaml_parser_t parser_;
  yaml_event_t event_;

  // What was fed last, to tell the line of a byte that libyaml cannot decode: it reads ahead of its marks.
  std::string fed_;
  uint64_t fed_begin_ = 0;    // offset of fed_
  int fed_lines_ = 0;         // lines before it
  uint64_t event_begin_ = 0;  // how much had been fed at the last event
  std::string source_error_;

  Position problem_position_;
  std::string problem_;
};

}  // namespace ksched::api
