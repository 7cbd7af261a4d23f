#include "api/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/input_limits.h"
#include "api/json_locate.h"

namespace ksched::api {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMaxListMembers = 1000;  // apiVersion, kind, metadata, items: each costs a look at the whole window

}  // namespace

JsonReader::Outcome JsonReader::Read() {
  if (window_.end() == 0) window_.Extend(0);
  if (window_.text(0).starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  for (;; first_value_ = false) {
    if (!first_value_) keep_ = at_;
    const char next = Peek();
    if (next == '\0' && at_ == window_.end()) {
      if (!window_.fault().empty()) sink_.Fail(window_.PositionOf(at_), window_.fault());
      return Outcome::kDone;
    }
    if (!first_value_ && AtYaml()) return Outcome::kYaml;
    const Step step = next == '{' ? ReadObject() : ReadWhole();
    if (step == Step::kNotJson) return Outcome::kNotJson;
    if (step == Step::kStop) return Outcome::kDone;
  }
}

char JsonReader::Peek() {
  for (;;) {
    const std::string_view text = window_.text(at_);
    const size_t next = text.find_first_not_of(" \t\r\n");
    if (next != std::string_view::npos) {
      at_ += next;
      return text[next];
    }
    at_ = window_.end();
    if (window_.ended()) return '\0';
    window_.Extend(std::min(keep_, at_));
  }
}

bool JsonReader::Take(char c) {
  if (Peek() != c || at_ == window_.end()) return false;
  ++at_;
  return true;
}

bool JsonReader::AtYaml() {
  constexpr std::string_view kMarker = "---";
  while (window_.end() - at_ < kMarker.size() && !window_.ended()) window_.Extend(keep_);
  const std::string_view text = window_.text(at_);
  return text.starts_with(kMarker) || text.starts_with('#');
}

// Parses the value at at_ and moves behind it; reads on as long as the value does not fit.
JsonOutcome JsonReader::Parse() {
  for (;;) {
    JsonOutcome outcome = parser_.Parse(window_.work(at_), window_.end() - at_, window_.ended());
    if (outcome.kind == JsonOutcome::Kind::kValue) at_ += outcome.end;
    if (outcome.kind != JsonOutcome::Kind::kIncomplete || window_.ended()) return outcome;
    if (window_.end() - at_ >= kMaxObjectBytes) {
      return {.kind = JsonOutcome::Kind::kLimit, .end = 0, .message = TooLargeMessage()};
    }
    window_.Extend(keep_);
    window_.Restore(at_);
  }
}

// An object that turns out to be a list is read item by item, any other as a whole. `kubectl get -o json` writes
// apiVersion, items, kind; the API server writes kind, apiVersion, metadata, items.
JsonReader::Step JsonReader::ReadObject() {
  const uint64_t start = at_;
  if (!first_value_) keep_ = start;
  Header header;
  if (FindItems(header)) {
    const Step step = ReadItems(header);
    return step == Step::kOk ? ReadRest(header) : step;
  }
  at_ = start;
  window_.Restore(start);
  return ReadWhole();
}

JsonReader::Step JsonReader::ReadWhole() {
  const uint64_t start = at_;
  if (const JsonOutcome outcome = Parse(); outcome.kind != JsonOutcome::Kind::kValue) return Fail(outcome, start);
  const JsonLocator locator(window_, start);
  return sink_.Deliver(parser_.root(), parser_.pool(), locator) ? Step::kOk : Step::kStop;
}

// Goes through the members of an object up to the items of a list: then at_ is at their "[". If it is no list, or not
// in order, reading it as a whole finds out what it is.
bool JsonReader::FindItems(Header& header) {
  ++at_;  // {
  do {
    JsonOutcome ignored;
    if (!ReadKey(header, ignored)) return false;
    if (header.keys.back().first == "items" && Peek() == '[') return StreamableItems(header);
    if (Parse().kind != JsonOutcome::Kind::kValue) return false;
    NoteMember(header);
    if (header.kind_seen && !IsListKind(header.list.kind)) return false;
  } while (Take(','));
  return false;
}

// Reads a key and its colon.
bool JsonReader::ReadKey(Header& header, JsonOutcome& failure) {
  const char quote = Peek();
  const uint64_t start = at_;
  failure = {.kind = JsonOutcome::Kind::kSyntax, .end = 0, .message = "expected a key in double quotes"};
  if (quote != '"') return false;
  if (JsonOutcome outcome = Parse(); outcome.kind != JsonOutcome::Kind::kValue) {
    failure = std::move(outcome);
    return false;
  }
  std::string key(parser_.root().GetString(), parser_.root().GetStringLength());
  for (const auto& [earlier, line] : header.keys) {
    if (earlier != key) continue;
    failure = {.kind = JsonOutcome::Kind::kLimit, .end = 0, .message = DuplicateKeyMessage(key, line)};
    return false;
  }
  if (header.keys.size() >= kMaxListMembers) {
    failure = {.kind = JsonOutcome::Kind::kLimit, .end = 0, .message = "a list has too many members besides its items"};
    return false;
  }
  header.keys.emplace_back(std::move(key), window_.LineOf(start));
  if (Take(':')) return true;
  failure = {.kind = JsonOutcome::Kind::kSyntax, .end = at_ - start, .message = "expected \":\" after a key"};
  return false;
}

void JsonReader::NoteMember(Header& header) {
  const Json& value = parser_.root();
  const std::string& key = header.keys.back().first;
  const std::string text = value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : "";
  if (key == "apiVersion") header.list.api_version = text;
  if (key == "kind") {
    header.list.kind = text;
    header.kind_seen = true;
  }
}

// Whether what begins at "[" can be taken for the items of a list before its kind is known: the first says its own.
bool JsonReader::StreamableItems(const Header& header) {
  if (header.kind_seen) return true;
  const uint64_t items = at_++;
  bool streamable = Peek() == '{';
  if (streamable) {
    const uint64_t item = at_;
    streamable = Parse().kind == JsonOutcome::Kind::kValue && !StringMember(parser_.root(), "kind").empty() &&
                 !StringMember(parser_.root(), "apiVersion").empty();
    window_.Restore(item);
  }
  at_ = items;
  return streamable;
}

JsonReader::Step JsonReader::ReadItems(Header& header) {
  ++at_;  // [
  keep_ = at_;
  if (Take(']')) return Step::kOk;
  for (;;) {
    keep_ = at_;
    Peek();
    const uint64_t start = keep_ = at_;
    if (const JsonOutcome outcome = Parse(); outcome.kind != JsonOutcome::Kind::kValue) return Fail(outcome, start);
    const JsonLocator locator(window_, start);
    if (!sink_.DeliverItem(parser_.root(), header.list, parser_.pool(), locator)) return Step::kStop;
    keep_ = at_;
    if (Take(']')) return Step::kOk;
    if (!Take(',')) return Unexpected("expected \",\" or \"]\" after an item");
  }
}

// What follows the items of a list, up to its end.
JsonReader::Step JsonReader::ReadRest(Header& header) {
  for (;;) {
    keep_ = at_;
    if (Take('}')) break;
    if (!Take(',')) return Unexpected("expected \",\" or \"}\" after a value");
    Peek();
    const uint64_t key = keep_ = at_;
    JsonOutcome failure;
    if (!ReadKey(header, failure)) return Fail(failure, key);
    const uint64_t value = at_;
    if (const JsonOutcome outcome = Parse(); outcome.kind != JsonOutcome::Kind::kValue) return Fail(outcome, value);
    NoteMember(header);
  }
  if (IsListKind(header.list.kind)) return Step::kOk;
  sink_.Fail(window_.PositionOf(at_ - 1), NotAListMessage(header.list.kind));
  return Step::kStop;
}

JsonReader::Step JsonReader::Fail(const JsonOutcome& outcome, uint64_t start) {
  Position position = window_.PositionOf(start + outcome.end);
  std::string message = outcome.message;
  switch (outcome.kind) {
    case JsonOutcome::Kind::kIncomplete:
      position = window_.PositionOf(window_.end());
      message = window_.fault().empty() ? "unexpected end of the file" : window_.fault();
      break;
    case JsonOutcome::Kind::kDuplicate:
      message = DuplicateKeyMessage(outcome.message, window_.LineOf(start + outcome.first));
      break;
    case JsonOutcome::Kind::kSyntax:
      if (first_value_ && sink_.delivered() == 0 && window_.begin() == 0 && window_.fault().empty()) {
        error_position_ = position;
        error_ = message;
        return Step::kNotJson;
      }
      break;
    case JsonOutcome::Kind::kLimit:
    case JsonOutcome::Kind::kValue:
      break;
  }
  sink_.Fail(position, message);
  return Step::kStop;
}

JsonReader::Step JsonReader::Unexpected(const std::string& expected) {
  if (at_ == window_.end()) return Fail({.kind = JsonOutcome::Kind::kIncomplete}, at_);
  std::string message = expected;
  const char found = window_.text(at_).front();
  if (found > ' ' && found < 0x7F) message += fmt::format(", found \"{}\"", found);
  return Fail({.kind = JsonOutcome::Kind::kSyntax, .message = std::move(message)}, at_);
}

}  // namespace ksched::api
