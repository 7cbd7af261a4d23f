#include "api/json_locate.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <string>

namespace ksched::api {
namespace {

// Steps over the tokens of text known to be valid; at the end of the text every step stays there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t position() const { return at_; }
  char Peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  // The string with its quotes.
  std::string_view TakeString() {
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(start, at_ - start);
  }

  void SkipValue() {
    int depth = 0;
    do {
      const char c = Peek();
      if (c == '"') {
        TakeString();
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        --depth, ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        SkipWord();
      }
    } while (depth > 0 && at_ < text_.size());
  }

 private:
  void SkipWord() {
    constexpr std::string_view kEnds = " \t\r\n,:]}\"[{";
    at_ = std::min(text_.find_first_of(kEnds, at_), text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool IsKey(std::string_view quoted, std::string_view key) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2) == key;
  rapidjson::Document string;
  string.Parse(quoted.data(), quoted.size());
  return string.IsString() && std::string_view(string.GetString(), string.GetStringLength()) == key;
}

// Moves to the value of a member and tells where its key is.
bool EnterMember(Scanner& scanner, std::string_view key, size_t& found) {
  if (!scanner.Take('{')) return false;
  while (scanner.Peek() == '"') {
    const size_t position = scanner.position();
    const bool match = IsKey(scanner.TakeString(), key);
    scanner.Take(':');
    if (match) {
      scanner.Peek();
      found = position;
      return true;
    }
    scanner.SkipValue();
    scanner.Take(',');
  }
  return false;
}

bool EnterElement(Scanner& scanner, size_t index, size_t& found) {
  if (!scanner.Take('[')) return false;
  for (; scanner.Peek() != ']' && scanner.Peek() != '\0'; --index) {
    if (index == 0) {
      found = scanner.position();
      return true;
    }
    scanner.SkipValue();
    scanner.Take(',');
  }
  return false;
}

}  // namespace

size_t LocateInJson(std::string_view json, std::span<const FieldPath* const> path) {
  Scanner scanner(json);
  scanner.Peek();
  size_t found = scanner.position();
  for (const FieldPath* segment : path) {
    const bool entered = segment->kind() == FieldPath::Kind::kIndex ? EnterElement(scanner, segment->index(), found)
                                                                    : EnterMember(scanner, segment->name(), found);
    if (!entered) break;
  }
  return found;
}

}  // namespace ksched::api
