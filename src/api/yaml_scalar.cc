#include "api/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "api/json_window.h"
#include "api/yaml_number.h"

namespace ksched::api {
namespace {

constexpr std::string_view kLongPrefix = "tag:yaml.org,2002:";

struct Null {};
struct Special {  // .inf, -.inf, .nan: floats that JSON does not have
  double value;
};
// What a scalar is; a string stands for itself.
using Meaning = std::variant<Null, bool, Special, YamlNumber, std::string_view>;

struct Word {
  std::string_view text;
  Meaning meaning;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Word* FindWord(std::string_view text) {
  static constexpr std::array kWords{Word{"", Null()},
                                     Word{"~", Null()},
                                     Word{"null", Null()},
                                     Word{"Null", Null()},
                                     Word{"NULL", Null()},
                                     Word{"y", true},
                                     Word{"Y", true},
                                     Word{"yes", true},
                                     Word{"Yes", true},
                                     Word{"YES", true},
                                     Word{"true", true},
                                     Word{"True", true},
                                     Word{"TRUE", true},
                                     Word{"on", true},
                                     Word{"On", true},
                                     Word{"ON", true},
                                     Word{"n", false},
                                     Word{"N", false},
                                     Word{"no", false},
                                     Word{"No", false},
                                     Word{"NO", false},
                                     Word{"false", false},
                                     Word{"False", false},
                                     Word{"FALSE", false},
                                     Word{"off", false},
                                     Word{"Off", false},
                                     Word{"OFF", false},
                                     Word{".nan", Special{kNan}},
                                     Word{".NaN", Special{kNan}},
                                     Word{".NAN", Special{kNan}},
                                     Word{".inf", Special{kInfinity}},
                                     Word{".Inf", Special{kInfinity}},
                                     Word{".INF", Special{kInfinity}},
                                     Word{"+.inf", Special{kInfinity}},
                                     Word{"+.Inf", Special{kInfinity}},
                                     Word{"+.INF", Special{kInfinity}},
                                     Word{"-.inf", Special{-kInfinity}},
                                     Word{"-.Inf", Special{-kInfinity}},
                                     Word{"-.INF", Special{-kInfinity}}};
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.text == text; });
  return found == kWords.end() ? nullptr : found;
}

Meaning MeaningOf(std::string_view text) {
  constexpr size_t kLongestWord = 5;
  if (text.size() <= kLongestWord) {
    if (const Word* word = FindWord(text)) return word->meaning;
  }
  if (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '.' || text[0] == '+' || text[0] == '-') {
    if (std::optional<YamlNumber> number = ParseYamlNumber(text)) return *number;
  }
  return text;
}

// YYYY-M-D, alone or with a time and zone.
bool IsTimestamp(std::string_view text) {
  const auto number = [&text](size_t least, size_t most) {
    const size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(size);
    return size >= least && size <= most;
  };
  const auto take = [&text](std::string_view any) {
    const bool found = !text.empty() && any.find(text[0]) != std::string_view::npos;
    text.remove_prefix(found ? 1 : 0);
    return found;
  };
  if (!number(4, 4) || !take("-") || !number(1, 2) || !take("-") || !number(1, 2)) return false;
  if (text.empty()) return true;
  const bool zoned = text[0] == 'T' || text[0] == 't';
  if (!take("Tt ") || !number(1, 2) || !take(":") || !number(1, 2) || !take(":") || !number(1, 2)) return false;
  if (take(".") && !number(1, 9)) return false;
  if (!zoned || text == "Z") return text.empty() == !zoned;
  return take("+-") && number(2, 2) && take(":") && number(2, 2) && text.empty();
}

std::string_view TagName(YamlTag tag) {
  constexpr std::array<std::string_view, 9> kNames{"",       "!!str",       "!!bool",   "!!int", "!!float",
                                                   "!!null", "!!timestamp", "!!binary", ""};
  return kNames[static_cast<size_t>(tag)];
}

YamlTag TagOf(const Meaning& meaning) {
  if (std::holds_alternative<Null>(meaning)) return YamlTag::kNull;
  if (std::holds_alternative<bool>(meaning)) return YamlTag::kBool;
  if (std::holds_alternative<std::string_view>(meaning)) return YamlTag::kStr;
  const auto* number = std::get_if<YamlNumber>(&meaning);
  return number != nullptr && !std::holds_alternative<double>(*number) ? YamlTag::kInt : YamlTag::kFloat;
}

std::string Shortened(std::string_view text) {
  constexpr size_t kMost = 40;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

// A scalar with an explicit tag has to be of that type; an integer may be a float.
Result<Meaning> Tagged(std::string_view text, YamlTag tag) {
  if (tag == YamlTag::kTimestamp && IsTimestamp(text)) return Meaning(text);
  Meaning meaning = MeaningOf(text);
  const YamlTag found = TagOf(meaning);
  if (found == tag) return meaning;
  if (tag == YamlTag::kFloat && found == YamlTag::kInt) {
    if (const auto* integer = std::get_if<int64_t>(&std::get<YamlNumber>(meaning))) {
      return Meaning(YamlNumber(static_cast<double>(*integer)));
    }
  }
  return Error{fmt::format("\"{}\" is no {}", Shortened(text), TagName(tag))};
}

std::string_view InPool(std::string_view text, JsonPool& pool) {
  auto* copy = static_cast<char*>(pool.Malloc(text.size() + 1));
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return {copy, text.size()};
}

// Padded base64, line breaks allowed.
std::optional<std::string> DecodeBase64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string packed(text);
  std::erase_if(packed, [](char c) { return c == '\n' || c == '\r'; });
  if (packed.size() % 4 != 0) return std::nullopt;
  const size_t padding = packed.ends_with("==") ? 2 : packed.ends_with('=') ? 1 : 0;
  std::string bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < packed.size(); ++i) {
    const size_t value = i < packed.size() - padding ? kAlphabet.find(packed[i]) : 0;
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

// Bytes that are no UTF-8 become U+FFFD each, as Go's JSON encoder has it.
std::string ToUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    bool valid = true;
    const size_t good = Utf8Prefix(bytes, /*more=*/false, valid);
    text += bytes.substr(0, good);
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    text += "\xEF\xBF\xBD";
    bytes.remove_prefix(1);
  }
  return text;
}

Result<Meaning> Resolve(const YamlScalar& scalar, JsonPool& pool) {
  if (scalar.tag == YamlTag::kBinary) {
    std::optional<std::string> bytes = DecodeBase64(scalar.text);
    if (!bytes) return Error{"!!binary value is no valid base64"};
    return Meaning(InPool(ToUtf8(*bytes), pool));
  }
  if (scalar.tag == YamlTag::kStr || scalar.tag == YamlTag::kOther) return Meaning(scalar.text);
  if (scalar.tag != YamlTag::kNone) return Tagged(scalar.text, scalar.tag);
  return scalar.plain ? MeaningOf(scalar.text) : Meaning(scalar.text);
}

Json StringRef(std::string_view text) {
  return Json(rapidjson::StringRef(text.data(), static_cast<rapidjson::SizeType>(text.size())));
}

}  // namespace

YamlTag ParseYamlTag(std::string_view tag) {
  if (tag.empty()) return YamlTag::kNone;
  if (!tag.starts_with(kLongPrefix)) return YamlTag::kOther;
  tag.remove_prefix(kLongPrefix.size());
  for (const YamlTag known : {YamlTag::kStr, YamlTag::kBool, YamlTag::kInt, YamlTag::kFloat, YamlTag::kNull,
                              YamlTag::kTimestamp, YamlTag::kBinary}) {
    if (TagName(known).substr(2) == tag) return known;
  }
  return YamlTag::kOther;
}

Result<Json> ResolveYamlScalar(const YamlScalar& scalar, JsonPool& pool) {
  const Result<Meaning> meaning = Resolve(scalar, pool);
  if (!meaning) return meaning.error();
  if (const auto* text = std::get_if<std::string_view>(&*meaning)) return StringRef(*text);
  if (const auto* boolean = std::get_if<bool>(&*meaning)) return Json(*boolean);
  if (std::holds_alternative<Special>(*meaning)) {
    return Error{fmt::format("{} is no number that JSON has", scalar.text)};
  }
  const auto* number = std::get_if<YamlNumber>(&*meaning);
  if (number == nullptr) return Json();
  if (const auto* integer = std::get_if<int64_t>(number)) return Json(*integer);
  if (const auto* natural = std::get_if<uint64_t>(number)) return Json(*natural);
  return JsonNumber(std::get<double>(*number));
}

Result<std::string_view> ResolveYamlKey(const YamlScalar& scalar, JsonPool& pool) {
  const Result<Meaning> meaning = Resolve(scalar, pool);
  if (!meaning) return meaning.error();
  if (const auto* text = std::get_if<std::string_view>(&*meaning)) return *text;
  if (const auto* boolean = std::get_if<bool>(&*meaning)) return std::string_view(*boolean ? "true" : "false");
  if (const auto* special = std::get_if<Special>(&*meaning)) return InPool(FloatKey(special->value), pool);
  const auto* number = std::get_if<YamlNumber>(&*meaning);
  if (number == nullptr) return Error{"a key is null: write it in quotes if it is meant as text"};
  if (const auto* integer = std::get_if<int64_t>(number)) return InPool(std::to_string(*integer), pool);
  if (std::holds_alternative<uint64_t>(*number)) {
    return Error{fmt::format("the key {} is too large a number: write it in quotes", scalar.text)};
  }
  return InPool(FloatKey(std::get<double>(*number)), pool);
}

}  // namespace ksched::api
