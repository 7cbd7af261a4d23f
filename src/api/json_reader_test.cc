#include "api/json_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

const char* HugeInteger() {
  static const std::string text = std::string("{\"a\":").append(400, '9').append("}");
  return text.c_str();
}

struct Row {
  const char *name, *text, *want;
};

TEST(JsonReaderTest, Lists) {
  for (const Row& row : {
           Row{"kubectl's order", R"({"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Pod"},{"kind":"X"}],
                                      "kind":"List","metadata":{}})",
               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n{\"kind\":\"X\"}"},
           Row{"a typed list says the kind", R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"a":1}]})",
               R"({"a":1,"apiVersion":"v1","kind":"Pod"})"},
           Row{"kind last, items without", R"({"apiVersion":"v1","items":[{"a":1}],"kind":"PodList"})",
               R"({"a":1,"apiVersion":"v1","kind":"Pod"})"},
           Row{"an item keeps its kind", R"({"kind":"PodList","items":[{"kind":"Node"}]})", R"({"kind":"Node"})"},
           Row{"empty", R"({"kind":"List","items":[]})", ""},
           Row{"empty, kind last", R"({"items":[],"kind":"List"})", ""},
           Row{"items null", R"({"kind":"List","items":null})", ""},
           Row{"lists in a list", R"({"kind":"List","items":[{"kind":"List","items":[{"a":1}]},{"b":2}]})",
               "{\"a\":1}\n{\"b\":2}"},
           Row{"no list", R"({"kind":"Foo","items":[{"a":1}]})", R"({"kind":"Foo","items":[{"a":1}]})"},
           Row{"a list without items", R"({"kind":"WishList","x":1})", R"({"kind":"WishList","x":1})"},
           Row{"items no array", "{\"kind\":\"List\",\n\"items\":3}",
               "f:2: items of a List: expected an array, found a number"},
           Row{"item no object", "{\"kind\":\"List\",\"items\":[{\"a\":1},\n3]}",
               "{\"a\":1}\nf:2: expected an object, found a number"},
           Row{"items of no list", R"({"items":[{"apiVersion":"v1","kind":"Pod"}],"kind":"Foo"})",
               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n"
               "f:1: there are items as in a list, but kind \"Foo\" does not end in List"},
           Row{"two lists", R"({"kind":"List","items":[{"a":1}]}{"kind":"List","items":[{"b":1}]})",
               "{\"a\":1}\n{\"b\":1}"},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
}

TEST(JsonReaderTest, Problems) {
  for (const Row& row : {
           Row{"duplicate", "{\"a\":1,\n\"b\":2,\n\"a\":3}", "f:3: duplicate key \"a\" (first on line 1)"},
           Row{"duplicate inside", "{\"a\":{\"b\":[{\"image\":1,\n\"image\":2}]}}",
               "f:2: duplicate key \"image\" (first on line 1)"},
           Row{"equal once unescaped", "{\"a\":1,\"\\u0061\":2}", "f:1: duplicate key \"a\" (first on line 1)"},
           Row{"the same key elsewhere", R"({"a":{"b":1},"c":{"b":2},"b":3})", R"({"a":{"b":1},"c":{"b":2},"b":3})"},
           Row{"duplicate in an item", "{\"kind\":\"List\",\"items\":[{},\n{\"a\":1,\n\"a\":2}]}",
               "{}\nf:3: duplicate key \"a\" (first on line 2)"},
           Row{"duplicate of the list", "{\"kind\":\"List\",\n\"items\":[],\n\"items\":[]}",
               "f:3: duplicate key \"items\" (first on line 2)"},
           Row{"cut off", "{\"a\": [1,\n2", "f:2: unexpected end of the file"},
           Row{"cut off in a list", "{\"kind\":\"List\",\"items\":[{\"a\":1},\n",
               "{\"a\":1}\nf:2: unexpected end of the file"},
           Row{"comma missing in a list", "{\"kind\":\"List\",\"items\":[{\"a\":1}\n{\"a\":1}]}",
               "{\"a\":1}\nf:2: expected \",\" or \"]\" after an item, found \"{\""},
           Row{"number out of range", "{\"a\":\n1e400}", "f:2: number out of range"},
           Row{"integer out of range", HugeInteger(), "f:1: number out of range"},
           Row{"bad escape", "{\"a\":\"\\q\"}", "f:1: invalid escape or control character in a string"},
           Row{"invalid UTF-8", "{\"a\":1}\n{\"a\":\"\xff\"}", "{\"a\":1}\nf:2: invalid UTF-8"},
           Row{"second value broken", "{\"a\":1}\n{\"b\":}", "{\"a\":1}\nf:2: expected a value, found \"}\""},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
  EXPECT_EQ(Outcome(std::string("{\"a\":\"x\0y\"}", 11)), "f:1: unexpected NUL byte");
  EXPECT_EQ(Outcome(std::string("{\"a\":\0 1}", 9)), "f:1: unexpected NUL byte");
}

TEST(JsonReaderTest, ManyKeysAreCheckedToo) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text.append("\"key").append(std::to_string(i)).append("\":1,\n");
  EXPECT_EQ(Outcome(text + "\"last\":1}").substr(0, 10), "{\"key0\":1,");
  EXPECT_EQ(Outcome(text + "\"key998\":1}"), "f:1001: duplicate key \"key998\" (first on line 999)");
}

TEST(JsonReaderTest, NumbersAreExact) {
  EXPECT_EQ(Outcome(R"({"a":18446744073709551615,"b":-9223372036854775808,"c":0.1,"d":1.0,"e":1e3})"),
            R"({"a":18446744073709551615,"b":-9223372036854775808,"c":0.1,"d":1.0,"e":1000.0})");
  EXPECT_EQ(
      Outcome(
          R"({"a":0e90,"b":1e-400,"c":18446744073709551616,"d":-0,"e":9007199254740993,"f":2.2250738585072011e-308})"),
      R"({"a":0.0,"b":0.0,"c":18446744073709553000.0,"d":0,"e":9007199254740993,"f":2.225073858507201e-308})");
}

// Items around the borders of the window, one of them larger than it: each comes once and in order, and knows its line.
TEST(JsonReaderTest, ListsLargerThanTheWindow) {
  constexpr int kItems = 3000, kLarge = 1234;
  std::string text = "{\"apiVersion\":\"v1\",\n\"items\":[\n";
  for (int i = 0; i < kItems; ++i) {
    const std::string filling(i == kLarge ? 3'000'000 : 700 + i % 13, 'x');
    text.append(i > 0 ? ",\n" : "").append("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\"n\":");
    text.append(std::to_string(i)).append(",\"f\":\"\\\"").append(filling).append("\xC3\xA9\"}");
  }
  text += "],\n\"kind\":\"List\"}\n";
  int next = 0;
  Problems problems;
  ReadDocumentsFromText(
      text, "f",
      [&](const Document& document) {
        ASSERT_EQ(document.root()["n"].GetInt(), next);
        if (next % 100 == 0) {
          EXPECT_EQ(document.Locate(FieldPath().Child("n")).line, 4 + 2 * next);
        }
        ++next;
      },
      problems);
  EXPECT_EQ(next, kItems);
  EXPECT_TRUE(problems.empty());
}

TEST(JsonReaderTest, Locate) {
  const std::string pod =
      "{ \"kind\": \"Pod\",\n  \"metadata\": {\"name\": \"a\",\n    \"labels\": {\"a/b\": \"x\", \"\\u0063\": "
      "\"y\"}},\n"
      "  \"spec\": {\"containers\": [{\"name\": \"]}\\\"\"},\n    {\"image\": 5}]}}";
  const FieldPath root, spec = root.Child("spec"), containers = spec.Child("containers"), second = containers.Index(1),
                        metadata = root.Child("metadata"), labels = metadata.Child("labels");
  EXPECT_EQ(Where(pod, "", root), "1:1");
  EXPECT_EQ(Where(pod, "", spec), "4:3");
  EXPECT_EQ(Where(pod, "", second), "5:5");
  EXPECT_EQ(Where(pod, "", second.Child("image")), "5:6");
  EXPECT_EQ(Where(pod, "", second.Child("name")), "5:5") << "the nearest there is";
  EXPECT_EQ(Where(pod, "", containers.Index(7)), "4:12");
  EXPECT_EQ(Where(pod, "", labels.Key("a/b")), "3:16");
  EXPECT_EQ(Where(pod, "", labels.Key("c")), "3:28");
  EXPECT_EQ(Where("{\"kind\":\"List\",\"items\":[{\"metadata\":{\"name\":\"z\"}},\n" + pod + "]}", "a", spec), "5:3");
  EXPECT_EQ(Where("{\"items\":[{\"metadata\":{\"name\":\"z\"}},\n" + pod + "],\"kind\":\"PodList\"}", "a", spec),
            "5:3");
}

}  // namespace
}  // namespace ksched::api
