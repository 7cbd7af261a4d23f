// Input made to do harm ends in one clear problem, soon and without using much memory or stack.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

constexpr int kMany = 3'000'000;

std::string Repeat(std::string_view part, int count) {
  std::string text;
  text.reserve(part.size() * static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

// Parts put one after the other.
template <typename... Parts>
std::string Join(const Parts&... parts) {
  std::string text;
  (text.append(parts), ...);
  return text;
}

TEST(HostileInputTest, Nesting) {
  struct Row {
    const char* name;
    std::string text;
  };
  for (const Row& row : {
           Row{"JSON arrays", Repeat("[", kMany)},
           Row{"JSON objects", Repeat("{\"a\":", kMany)},
           Row{"JSON arrays in an object", Join("{\"a\":", Repeat("[", kMany))},
           Row{"JSON list", Join("{\"kind\":\"List\",\"items\":[", Repeat("[", kMany))},
           Row{"YAML flow mappings", Repeat("{a: ", kMany)},
           Row{"YAML flow sequences", Join("a: ", Repeat("[", kMany))},
           Row{"YAML block sequences", Repeat("- ", kMany)},
           Row{"YAML complex keys", Repeat("? ", kMany)},
       }) {
    EXPECT_EQ(Outcome(row.text), "f:1: nested deeper than 256 levels") << row.name;
  }
  std::string block;
  for (size_t i = 0; i < 2000; ++i) block.append(i, ' ').append("a:\n");
  EXPECT_EQ(Outcome(block), "f:257: nested deeper than 256 levels");
}

TEST(HostileInputTest, NestingAtTheLimit) {
  const std::string json = Join("{\"a\":", Repeat("[", 255), Repeat("]", 255), "}");
  EXPECT_EQ(Outcome(json), json);
  EXPECT_EQ(Outcome(Join("x: 1\n---\n", json)), Join("{\"x\":1}\n", json));
}

TEST(HostileInputTest, NestingThroughAliases) {
  std::string text = Join("a0: &a0 ", Repeat("[", 100), Repeat("]", 100), "\n");
  for (int i = 1; i < 10; ++i) {
    const std::string name = Join("a", std::to_string(i)), before = Join("*a", std::to_string(i - 1));
    text += Join(name, ": &", name, " ", Repeat("[", 100), before, Repeat("]", 100), "\n");
  }
  EXPECT_EQ(Outcome(text), "f:1: nested deeper than 256 levels");
}

TEST(HostileInputTest, AliasBombs) {
  std::string lists = "a: &a [x,x,x,x,x,x,x,x,x]\n", maps = "a: &a {x: 1, y: 2}\n";
  for (char name = 'b'; name < 'u'; ++name) {
    const std::string self(1, name), alias = Join("*", std::string(1, static_cast<char>(name - 1)));
    const std::string nine = Join(Repeat(Join(alias, ","), 8), alias);
    lists += Join(self, ": &", self, " [", nine, "]\n");
    maps += Join(self, ": &", self, " {<<: [", nine, "]}\n");
  }
  EXPECT_EQ(Outcome(lists), "f:1: document contains excessive aliasing");
  EXPECT_EQ(Outcome(maps), "f:1: document contains excessive aliasing");
}

TEST(HostileInputTest, OrdinaryAliasesAreFine) {
  std::string text = "a: &a [x, y]\nb:\n";
  for (int i = 0; i < 500; ++i) text += "- *a\n";
  EXPECT_EQ(Read(text).problems.size(), 0U);
}

TEST(HostileInputTest, TooManyValues) {
  EXPECT_EQ(Outcome(Join("{\"a\":[", Repeat("0,", 5'000'000))), "f:1: more than 4000000 values in one object");
}

TEST(HostileInputTest, Garbage) {
  std::mt19937_64 random(1);
  std::string bytes(size_t{8} << 20, '\0');
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const uint64_t word = random();
    for (size_t j = 0; j < 8; ++j) bytes[i + j] = static_cast<char>(word >> (8 * j));
  }
  for (const char* start : {"", "{", "{\"", "a: ", "- ", "\x1f\x8b", "\xFE\xFF"}) {
    const ReadText read = Read(start + bytes);
    EXPECT_EQ(read.documents.size(), 0U) << start;
    EXPECT_EQ(read.problems.size(), 1U) << start;
  }
  EXPECT_EQ(Read(std::string(size_t{8} << 20, '\0')).problems.size(), 1U);
  EXPECT_EQ(Outcome(Join("{\"a\":\"", Repeat("a", 8 << 20))), "f:1: unexpected end of the file");
}

}  // namespace
}  // namespace ksched::api
