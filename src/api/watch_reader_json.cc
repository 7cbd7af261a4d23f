// Watches in JSON.
#include <fmt/format.h>

#include <utility>

#include "api/input_limits.h"
#include "api/item_document.h"
#include "api/json_parser.h"
#include "api/json_values.h"
#include "api/json_window.h"
#include "api/raw_object.h"
#include "api/watch_reader.h"

namespace ksched::api {
namespace {

constexpr size_t kKeptBytes = size_t{1} << 20;  // a larger buffer is given back

// Finds where objects end, without reading them: by their braces, outside of strings.
class ObjectScanner {
 public:
  enum class Found { kNothing, kEnd, kNoObject };

  // Looks at text[at] and on, and leaves `at` behind what it has seen.
  Found Scan(std::string_view text, size_t& at) {
    while (at < text.size()) {
      const char c = text[at++];
      if (in_string_) {
        InString(c);
      } else if (c == '"') {
        in_string_ = depth_ > 0;
        if (!in_string_) return Found::kNoObject;
      } else if (c == '{') {
        ++depth_;
      } else if (depth_ == 0) {
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return Found::kNoObject;
      } else if (c == '}' && --depth_ == 0) {
        return Found::kEnd;
      }
    }
    return Found::kNothing;
  }
  bool within() const { return depth_ > 0; }

 private:
  void InString(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
    }
  }

  size_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

class JsonWatchReader final : public WatchReader {
 public:
  JsonWatchReader(WatchVisitor visit, std::string name) : visit_(std::move(visit)), name_(std::move(name)) {}

  Result<void> Feed(std::string_view chunk) override {
    size_t at = 0, begin = 0;
    for (;;) {
      const auto found = scanner_.Scan(chunk, at);
      if (found == ObjectScanner::Found::kNoObject) return Error{"malformed JSON: an event is no object"};
      const std::string_view piece = chunk.substr(begin, at - begin);
      if (piece.size() > kMaxObjectBytes - text_.size()) return Error{TooLargeMessage()};
      if (scanner_.within() || found == ObjectScanner::Found::kEnd) text_.append(piece);
      if (found == ObjectScanner::Found::kNothing) return {};
      Result<void> done = ReadEvent();
      if (!done) return done;
      text_.clear();
      if (text_.capacity() > kKeptBytes) text_ = std::string();
      begin = at;
    }
  }

  bool complete() const override { return !scanner_.within(); }

 private:
  Result<void> ReadEvent() {
    bool valid = true;
    if (Utf8Prefix(text_, /*more=*/false, valid) != text_.size()) return Error{"malformed JSON: it is no UTF-8"};
    const JsonOutcome outcome = parser_.Parse(text_.data(), text_.size(), /*last=*/true);
    if (outcome.kind != JsonOutcome::Kind::kValue) {
      return Error{fmt::format("malformed JSON in an event, at byte {}: {}", outcome.end, outcome.message)};
    }
    const Json& root = parser_.root();
    const std::string type = TextAt(root, {"type"});
    if (type.empty()) return Error{"an event has no type"};
    const rapidjson::Value* object = FindField(root, {"object"});
    if (object == nullptr || !object->IsObject()) return Error{"an event has no object"};
    WatchEvent event{.type = type};
    if (type == "ERROR") {
      const std::string status = ToJson(*object);
      event.status = status;
      return visit_(event);
    }
    return Visit(*object, event);
  }

  Result<void> Visit(const rapidjson::Value& object, WatchEvent& event) {
    const std::string api_version = TextAt(object, {"apiVersion"}), kind = TextAt(object, {"kind"});
    const std::string version = TextAt(object, {"metadata", "resourceVersion"});
    const ItemDocument document(object, name_);
    event.api_version = api_version;
    event.kind = kind;
    event.resource_version = version;
    event.document = &document;
    event.initial_events_end =
        event.type == "BOOKMARK" && TextAt(object, {"metadata", "annotations", "k8s.io/initial-events-end"}) == "true";
    return visit_(event);
  }

  WatchVisitor visit_;
  std::string name_;
  ObjectScanner scanner_;
  std::string text_;  // of an event that is not there as a whole
  JsonParser parser_;
};

}  // namespace

std::unique_ptr<WatchReader> MakeJsonWatchReader(WatchVisitor visit, std::string name) {
  return std::make_unique<JsonWatchReader>(std::move(visit), std::move(name));
}

}  // namespace ksched::api
