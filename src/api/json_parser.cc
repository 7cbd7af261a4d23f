#include "api/json_parser.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rapidjson/reader.h>
#include <boost/unordered/unordered_flat_set.hpp>

#include "api/input_limits.h"

namespace ksched::api {
namespace {

constexpr size_t kPoolBytes = size_t{64} << 10;  // holds the DOM of most objects
constexpr const char* kNumberOutOfRange = "number out of range";
constexpr size_t kStackBytes = size_t{16} << 10;

// Numbers come as text: RapidJSON's exact conversion has undefined behaviour for 0e90, and its usual one is inexact.
constexpr unsigned kFlags =
    rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNumbersAsStringsFlag;

// (RapidJSON's vector code, RAPIDJSON_SSE2, was measured: slower for the short strings and indents of Kubernetes.)
using Reader = rapidjson::Reader;

// The keys of the objects that are open, innermost last. A key is compared only with keys of the same object that share
// its bit in a small filter; large objects are checked at their end, by hashing.
class OpenKeys {
 public:
  void Open() { objects_.push_back({.first = keys_.size(), .filter = 0}); }

  // Returns the earlier one if the key is there twice.
  const char* Add(const char* text, uint32_t size) {
    const std::string_view key(text, size);
    Scope& object = objects_.back();
    const uint64_t bit = Bit(key);
    const char* earlier = nullptr;
    if ((object.filter & bit) != 0 && keys_.size() - object.first < kSmall) earlier = Find(object.first, key);
    object.filter |= bit;
    keys_.push_back(key);
    return earlier;
  }

  // Returns the two occurrences of a key if there is one, else nulls.
  std::pair<const char*, const char*> Close() {
    std::pair<const char*, const char*> twice{nullptr, nullptr};
    const size_t first = objects_.back().first;
    if (keys_.size() - first > kSmall) {
      boost::unordered_flat_set<std::string_view> seen;
      for (size_t i = first; i < keys_.size() && twice.first == nullptr; ++i) {
        const auto [known, inserted] = seen.insert(keys_[i]);
        if (!inserted) twice = {known->data(), keys_[i].data()};
      }
    }
    keys_.resize(first);
    objects_.pop_back();
    return twice;
  }

 private:
  static constexpr size_t kSmall = 48;
  struct Scope {
    size_t first;
    uint64_t filter;
  };

  // Kubernetes' keys differ in length, in their first or in their last letters.
  static uint64_t Bit(std::string_view key) {
    if (key.empty()) return 1;
    const auto front = static_cast<unsigned char>(key.front()), back = static_cast<unsigned char>(key.back());
    const auto middle = static_cast<unsigned char>(key[key.size() / 2]);
    return uint64_t{1} << ((key.size() * 11 + front * 5U + back * 3U + middle * 7U) & 63);
  }

  const char* Find(size_t first, std::string_view key) const {
    for (size_t i = first; i < keys_.size(); ++i) {
      if (keys_[i] == key) return keys_[i].data();
    }
    return nullptr;
  }

  std::vector<std::string_view> keys_;
  std::vector<Scope> objects_;
};

// Passes what the reader finds on to the DOM, and stops it at a limit or a duplicate key.
template <typename Dom>
class Guard {
 public:
  Guard(Dom& dom, const char* text) : dom_(dom), text_(text) {}

  bool Null() { return Count() && dom_.Null(); }
  bool Bool(bool value) { return Count() && dom_.Bool(value); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return Count() && (Integer(text, text + size) || Float(text, text + size));
  }
  // Never: all numbers are raw.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return Count() && dom_.String(text, size, copy);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    if (const char* earlier = keys_.Add(text, size); earlier != nullptr) return Duplicate(earlier, text);
    return Count() && dom_.Key(text, size, copy);
  }
  bool StartObject() {
    keys_.Open();
    return Count() && Deeper() && dom_.StartObject();
  }
  bool EndObject(rapidjson::SizeType size) {
    --depth_;
    if (const auto [first, second] = keys_.Close(); first != nullptr) return Duplicate(first, second);
    return dom_.EndObject(size);
  }
  bool StartArray() { return Count() && Deeper() && dom_.StartArray(); }
  bool EndArray(rapidjson::SizeType size) {
    --depth_;
    return dom_.EndArray(size);
  }

  // Only when the reader was stopped.
  JsonOutcome outcome() && { return std::move(outcome_); }

 private:
  bool Count() { return ++values_ <= kMaxObjectValues || Limit(TooManyValuesMessage()); }
  // False if it is not one of 64 bits.
  bool Integer(const char* text, const char* end) {
    int64_t value = 0;
    if (const auto [stop, error] = std::from_chars(text, end, value); stop == end && error == std::errc()) {
      return dom_.Int64(value);
    }
    uint64_t natural = 0;
    const auto [stop, error] = std::from_chars(text, end, natural);
    return stop == end && error == std::errc() && dom_.Uint64(natural);
  }
  bool Float(const char* text, const char* end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text, end, value);
    // Too small is zero or nearly, too large is an error: from_chars does not tell which.
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text, end).c_str(), nullptr);
    return std::isinf(value) ? Limit(kNumberOutOfRange) : dom_.Double(value);
  }
  bool Deeper() { return ++depth_ <= kMaxNesting || Limit(TooDeepMessage()); }
  bool Limit(std::string message) {
    outcome_ = {.kind = JsonOutcome::Kind::kLimit, .message = std::move(message)};
    return false;
  }
  bool Duplicate(const char* first, const char* second) {
    // Keys lie where they were read: the reader ends each with NUL in place of its quote.
    outcome_ = {.kind = JsonOutcome::Kind::kDuplicate,
                .end = static_cast<size_t>(second - text_) - 1,
                .first = static_cast<size_t>(first - text_) - 1,
                .message = second};
    return false;
  }

  Dom& dom_;
  const char* text_;
  OpenKeys keys_;
  size_t values_ = 0;
  int depth_ = 0;
  JsonOutcome outcome_;
};

const char* Expectation(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorObjectMissName:
      return "expected a key in double quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected \":\" after a key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected \",\" or \"}\" after a value";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected \",\" or \"]\" after a value";
    case rapidjson::kParseErrorNumberTooBig:
      return kNumberOutOfRange;
    case rapidjson::kParseErrorNumberMissFraction:
    case rapidjson::kParseErrorNumberMissExponent:
      return "invalid number";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "invalid \\u escape in a string";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "invalid escape or control character in a string";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "string without closing quote";
    default:
      return "expected a value";
  }
}

// What is wrong at `at`, where the original character may have been overwritten: only characters that the reader does
// not write are quoted.
JsonOutcome ParseError(rapidjson::ParseErrorCode code, const char* text, size_t at) {
  std::string message = Expectation(code);
  const char found = text[at];
  if (found == '\0') {
    message = "unexpected NUL byte";
  } else if (message.starts_with("expected") && found > ' ' && found < 0x7F) {
    message += fmt::format(", found \"{}\"", found);
  }
  const bool syntax = code != rapidjson::kParseErrorNumberTooBig;
  return {.kind = syntax ? JsonOutcome::Kind::kSyntax : JsonOutcome::Kind::kLimit,
          .end = at,
          .message = std::move(message)};
}

}  // namespace

JsonParser::JsonParser()
    : pool_buffer_(std::make_unique_for_overwrite<char[]>(kPoolBytes)),
      pool_(pool_buffer_.get(), kPoolBytes),
      dom_(&pool_, kStackBytes) {}

JsonOutcome JsonParser::Parse(char* text, size_t size, bool last) {
  dom_.SetNull();
  pool_.Clear();
  rapidjson::InsituStringStream stream(text);
  Guard<Dom> guard(dom_, text);
  Reader reader;
  // Recursive, as its depth is bounded by the guard, and faster than the iterative form.
  auto parse = [&](Dom&) { return !reader.Parse<kFlags>(stream, guard).IsError(); };
  dom_.Populate(parse);
  const auto stopped = static_cast<size_t>(stream.src_ - text);
  if (!reader.HasParseError()) {
    if (stopped >= size && !last) return {.kind = JsonOutcome::Kind::kIncomplete, .end = stopped};
    return {.end = stopped};
  }
  const bool cut_off = stopped >= size && !last;  // also a number that seems out of range may go on
  if (reader.GetParseErrorCode() == rapidjson::kParseErrorTermination && !cut_off) {
    JsonOutcome outcome = std::move(guard).outcome();
    if (outcome.kind == JsonOutcome::Kind::kLimit) outcome.end = stopped;
    return outcome;
  }
  if (stopped >= size) return {.kind = JsonOutcome::Kind::kIncomplete, .end = size};
  return ParseError(reader.GetParseErrorCode(), text, reader.GetErrorOffset());
}

}  // namespace ksched::api
