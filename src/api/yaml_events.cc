#include "api/yaml_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/input_limits.h"

namespace ksched::api {

YamlEvents::YamlEvents(InputSource& source, int lines_before) : source_(source), lines_before_(lines_before) {
  usable_ = yaml_parser_initialize(&parser_) == 1;
  if (usable_) yaml_parser_set_input(&parser_, Feed, this);
}

YamlEvents::~YamlEvents() {
  if (has_event_) yaml_event_delete(&event_);
  if (usable_) yaml_parser_delete(&parser_);
}

Position YamlEvents::PositionOf(const yaml_mark_t& mark) const {
  return {static_cast<int>(mark.line) + 1 + lines_before_, static_cast<int>(mark.column) + 1};
}

bool YamlEvents::Next() {
  if (has_event_) yaml_event_delete(&event_);
  has_event_ = usable_ && yaml_parser_parse(&parser_, &event_) == 1;
  event_begin_ = fed_begin_ + fed_.size();
  if (!has_event_) Describe();
  return has_event_;
}

int YamlEvents::Feed(void* self, unsigned char* buffer, size_t size, size_t* count) {
  auto& events = *static_cast<YamlEvents*>(self);
  *count = 0;
  if (events.fed_begin_ + events.fed_.size() - events.event_begin_ > kMaxObjectBytes) {
    events.source_error_ = TooLargeMessage();
    return 0;
  }
  const Result<size_t> got = events.source_.Read(reinterpret_cast<char*>(buffer), size);
  if (!got) {
    events.source_error_ = got.error().message;
    return 0;
  }
  *count = *got;
  constexpr size_t kKept = size_t{64} << 10;  // libyaml decodes at most 16 KiB behind
  if (events.fed_.size() > kKept) {
    events.fed_lines_ += static_cast<int>(std::count(events.fed_.begin(), events.fed_.end() - kKept / 2, '\n'));
    events.fed_begin_ += events.fed_.size() - kKept / 2;
    events.fed_.erase(0, events.fed_.size() - kKept / 2);
  }
  events.fed_.append(reinterpret_cast<const char*>(buffer), *got);
  return 1;
}

int YamlEvents::LineOfByte(uint64_t offset) const {
  const size_t count = std::min<uint64_t>(offset > fed_begin_ ? offset - fed_begin_ : 0, fed_.size());
  return lines_before_ + fed_lines_ + 1 +
         static_cast<int>(std::count(fed_.begin(), fed_.begin() + static_cast<ptrdiff_t>(count), '\n'));
}

void YamlEvents::Describe() {
  if (!usable_ || parser_.error == YAML_MEMORY_ERROR) {
    problem_ = "out of memory";
    return;
  }
  problem_ = parser_.problem != nullptr ? parser_.problem : "invalid YAML";
  if (!source_error_.empty()) {
    problem_ = source_error_;
    problem_position_.line = LineOfByte(fed_begin_ + fed_.size());
    return;
  }
  if (parser_.error != YAML_READER_ERROR) {
    problem_position_ = PositionOf(parser_.problem_mark);
    if (parser_.context != nullptr) {
      problem_ += fmt::format(" {}", parser_.context);
      const int begun = PositionOf(parser_.context_mark).line;
      if (begun != problem_position_.line) problem_ += fmt::format(" that begins on line {}", begun);
    }
    return;
  }
  problem_position_.line = LineOfByte(parser_.problem_offset);
  const int value = parser_.problem_value;
  if (problem_.starts_with("control")) {
    problem_ =
        value == 0 ? "NUL bytes are not allowed" : fmt::format("control characters are not allowed ({:#x})", value);
  } else {
    problem_ = fmt::format("invalid UTF-8: {}", problem_);
    if (value >= 0) problem_ += fmt::format(" ({:#x})", value);
  }
}

}  // namespace ksched::api
