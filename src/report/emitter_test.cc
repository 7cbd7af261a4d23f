#include "report/emitter.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace ksched {
namespace {

struct StringCase {
  const char* name;
  std::string text, json, yaml;
};

// The JSON column is what Go's encoding/json writes without HTML escaping.
const StringCase kStrings[] = {
    {"plain", "node-a", R"("node-a")", "node-a"},
    {"empty", "", R"("")", R"("")"},
    {"quotes", "a\"b\\c", R"("a\"b\\c")", R"("a\"b\\c")"},
    {"short escapes", "\b\f\n\r\t", R"("\b\f\n\r\t")", R"("\b\f\n\r\t")"},
    {"controls are lower-case hex", std::string("\x00\x1f", 2), R"("\u0000\u001f")", R"("\u0000\u001f")"},
    {"no HTML escaping", "<a>&'", R"("<a>&'")", R"("<a>&'")"},
    {"UTF-8 stays", "caf\u00e9 \u65e5 \U0001F600", "\"caf\u00e9 \u65e5 \U0001F600\"",
     "\"caf\u00e9 \u65e5 \U0001F600\""},
    {"line separators", "a\u2028b\u2029", R"("a\u2028b\u2029")", R"("a\u2028b\u2029")"},
    {"invalid UTF-8, each byte", "a\xff\xc3(", "\"a\\ufffd\\ufffd(\"", "\"a\\ufffd\\ufffd(\""},
    {"a surrogate is invalid", "\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")", R"("\ufffd\ufffd\ufffd")"},
    {"overlong is invalid", "\xc0\xaf", R"("\ufffd\ufffd")", R"("\ufffd\ufffd")"},
    {"cut off", "\xe6\x97", R"("\ufffd\ufffd")", R"("\ufffd\ufffd")"},
    {"a word of YAML", "No", R"("No")", R"("No")"},
    {"y", "y", R"("y")", R"("y")"},
    {"a number", "12", R"("12")", R"("12")"},
    {"a message", "0/3 nodes are available: 3 Insufficient cpu.", R"("0/3 nodes are available: 3 Insufficient cpu.")",
     R"("0/3 nodes are available: 3 Insufficient cpu.")"},
    {"colon and space", "a: b", R"("a: b")", R"("a: b")"},
    {"colon at the end", "a:", R"("a:")", R"("a:")"},
    {"a comment", "a #b", R"("a #b")", R"("a #b")"},
    {"a trailing space", "a ", R"("a ")", R"("a ")"},
    {"words", "Insufficient cpu (2)", "\"Insufficient cpu (2)\"", "Insufficient cpu (2)"},
};

TEST(Emitter, Strings) {
  for (const StringCase& test : kStrings) {
    SCOPED_TRACE(test.name);
    std::ostringstream json, yaml;
    WriteJsonString(json, test.text);
    EXPECT_EQ(json.str(), test.json);
    YamlEmitter emitter(yaml);
    emitter.BeginArray();
    emitter.String(test.text);
    emitter.EndArray();
    EXPECT_EQ(yaml.str(), "- " + test.yaml + "\n");
  }
}

void EmitEverything(Emitter& e) {
  e.BeginObject();
  e.Key("a"), e.Int(-1);
  e.Key("empty"), e.BeginArray(), e.EndArray();
  e.Key("none"), e.BeginObject(), e.EndObject();
  e.Key("list"), e.BeginArray();
  e.BeginObject(), e.Key("x"), e.Bool(true), e.Key("y"), e.BeginArray(), e.Int(1), e.Int(2), e.EndArray(),
      e.EndObject();
  e.BeginObject(), e.Key("z"), e.BeginObject(), e.Key("k"), e.String("v"), e.EndObject(), e.EndObject();
  e.BeginObject(), e.EndObject();
  e.BeginArray(), e.String("deep"), e.EndArray();
  e.EndArray();
  e.EndObject();
}

TEST(Emitter, JsonIsIndentedAsByGo) {
  std::ostringstream out;
  JsonEmitter emitter(out);
  EmitEverything(emitter);
  EXPECT_EQ(out.str(), R"({
  "a": -1,
  "empty": [],
  "none": {},
  "list": [
    {
      "x": true,
      "y": [
        1,
        2
      ]
    },
    {
      "z": {
        "k": "v"
      }
    },
    {},
    [
      "deep"
    ]
  ]
}
)");
}

TEST(Emitter, YamlIsInBlocks) {
  std::ostringstream out;
  YamlEmitter emitter(out);
  EmitEverything(emitter);
  EXPECT_EQ(out.str(), R"(a: -1
empty: []
none: {}
list:
- x: true
  "y":
  - 1
  - 2
- z:
    k: v
- {}
- - deep
)");
}

}  // namespace
}  // namespace ksched
