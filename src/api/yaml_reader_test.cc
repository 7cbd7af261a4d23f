#include "api/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

struct Row {
  const char *name, *text, *want;
};

TEST(YamlReaderTest, MergesAndAliases) {
  for (const Row& row : {
           Row{"merge", "b: {<<: {p: 1}, q: 2}", R"({"b":{"p":1,"q":2}})"},
           Row{"own key after it wins", "a: &a {x: 1}\nb: {<<: *a, x: 5}", R"({"a":{"x":1},"b":{"x":5}})"},
           Row{"merge after the key wins", "a: &a {x: 1}\nb: {x: 5, <<: *a}", R"({"a":{"x":1},"b":{"x":1}})"},
           Row{"the first of several wins", "b: {<<: [{x: 1}, {x: 2, z: 3}]}", R"({"b":{"z":3,"x":1}})"},
           Row{"quoted is a key", "b: {'<<': {p: 1}}", R"({"b":{"<<":{"p":1}}})"},
           Row{"by tag", "b: {!!merge '<<': {p: 1}}", R"({"b":{"p":1}})"},
           Row{"no mapping", "b:\n  <<: 3", "f:2: the value of << has to be an object or an array of objects"},
           Row{"no mapping in it", "b: {<<: [1]}", "f:1: the value of << has to be an object or an array of objects"},
           Row{"alias", "a: &a [1, {x: z}]\nb: *a", R"({"a":[1,{"x":"z"}],"b":[1,{"x":"z"}]})"},
           Row{"alias as key", "a: &k key\n*k : v", R"({"a":"key","key":"v"})"},
           Row{"the last anchor of a name", "a: &a 1\nb: &a 2\nc: *a", R"({"a":1,"b":2,"c":2})"},
           Row{"unknown", "a: 1\nb: *x", "f:2: unknown anchor \"x\""},
           Row{"in itself", "b: &b\n- *b", "f:2: anchor \"b\" contains itself"},
           Row{"merged into itself", "b: &b\n  <<: *b", "f:2: anchor \"b\" contains itself"},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
}

TEST(YamlReaderTest, Problems) {
  for (const Row& row : {
           Row{"duplicate", "a:\n  image: x\n  b: 1\n  image: y\n", "f:4: duplicate key \"image\" (first on line 2)"},
           Row{"equal as JSON", "yes: 1\n\"true\": 2", "f:2: duplicate key \"true\" (first on line 1)"},
           Row{"in a merged mapping", "a: {<<: {x: 1, x: 2}}", "f:1: duplicate key \"x\" (first on line 1)"},
           Row{"after a document", "a: 1\n---\nb: 1\nb: 2\n", "{\"a\":1}\nf:4: duplicate key \"b\" (first on line 3)"},
           Row{"indentation", "a:\n  b: 1\n c: 2\n",
               "f:3: did not find expected key while parsing a block mapping that begins on line 1"},
           Row{"colon", "a: b: c\n", "f:1: mapping values are not allowed in this context"},
           Row{"tab", "a:\n\tb: 1\n",
               "f:2: found character that cannot start any token while scanning for the next token"},
           Row{"invalid UTF-8", "a: 1\nb: \xff\n", "f:2: invalid UTF-8: invalid leading UTF-8 octet (0xff)"},
           Row{"control character", "a: 1\nb: \x01\n", "f:2: control characters are not allowed (0x1)"},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
  EXPECT_EQ(Outcome(std::string("a: 1\nb: \0\n", 10)), "f:2: NUL bytes are not allowed");
}

TEST(YamlReaderTest, Lists) {
  for (const Row& row : {
           Row{"kubectl's order", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n- kind: X\nkind: List\n",
               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n{\"kind\":\"X\"}"},
           Row{"a typed list says the kind", "kind: PodList\napiVersion: v1\nitems:\n- a: 1\n",
               R"({"a":1,"apiVersion":"v1","kind":"Pod"})"},
           Row{"kind last, items without", "apiVersion: v1\nitems:\n- a: 1\nkind: PodList\n",
               R"({"a":1,"apiVersion":"v1","kind":"Pod"})"},
           Row{"anchors across items", "kind: List\nitems:\n- a: &x {b: 1}\n- c: *x\n- d: *x\n",
               "{\"a\":{\"b\":1}}\n{\"c\":{\"b\":1}}\n{\"d\":{\"b\":1}}"},
           Row{"empty", "kind: List\nitems: []\n", ""},
           Row{"two of them", "kind: List\nitems: [{a: 1}]\n---\nkind: List\nitems: [{b: 1}, {c: 1}]\n",
               "{\"a\":1}\n{\"b\":1}\n{\"c\":1}"},
           Row{"no list", "kind: Foo\nitems:\n- a: 1\n", R"({"kind":"Foo","items":[{"a":1}]})"},
           Row{"items deeper down", "spec:\n  items:\n  - apiVersion: v1\n    kind: Pod\n",
               R"({"spec":{"items":[{"apiVersion":"v1","kind":"Pod"}]}})"},
           Row{"item no object", "kind: List\nitems:\n- a: 1\n- 3\n",
               "{\"a\":1}\nf:4: expected an object, found a number"},
           Row{"items of no list", "items:\n- {apiVersion: v1, kind: Pod}\nkind: Foo\n",
               "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n"
               "f:3: there are items as in a list, but kind \"Foo\" does not end in List"},
           Row{"duplicate of the list", "kind: List\nitems: []\nkind: List\n",
               "f:3: duplicate key \"kind\" (first on line 1)"},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
}

TEST(YamlReaderTest, Locate) {
  const std::string pod =
      "kind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: c\n  - image: 5\n"
      "  nodeSelector: {a/b: x, yes: y}\n  <<: &m\n    merged: 1\n  also: *m\n";
  const FieldPath root, spec = root.Child("spec"), containers = spec.Child("containers"), second = containers.Index(1),
                        selector = spec.Child("nodeSelector"), also = spec.Child("also");
  EXPECT_EQ(Where(pod, "", root), "1:1");
  EXPECT_EQ(Where(pod, "", spec), "4:1");
  EXPECT_EQ(Where(pod, "", second), "7:5");
  EXPECT_EQ(Where(pod, "", second.Child("image")), "7:5");
  EXPECT_EQ(Where(pod, "", second.Child("name")), "7:5") << "the nearest there is";
  EXPECT_EQ(Where(pod, "", selector.Key("a/b")), "8:18");
  EXPECT_EQ(Where(pod, "", selector.Key("true")), "8:26");
  EXPECT_EQ(Where(pod, "", spec.Child("merged")), "10:5");
  EXPECT_EQ(Where(pod, "", also.Child("merged")), "10:5");
  const std::string list = "kind: List\nitems:\n- metadata: {name: z}\n- metadata:\n    name: a\n  spec: {}\n";
  EXPECT_EQ(Where(list, "a", spec), "6:3");
  EXPECT_EQ(Where("apiVersion: v1\n"
                  "items:\n- metadata: {name: z}\n- metadata:\n    name: a\n  spec: {}\nkind: AList\n",
                  "a", spec),
            "6:3");
  EXPECT_EQ(Where("{\"a\":1}\n---\n" + pod, "", spec), "1:1");
}

TEST(YamlReaderTest, LinesGoOnAfterJson) {
  EXPECT_EQ(Outcome("{\"a\":1}\n---\nb: 1\nb: 2\n"), "{\"a\":1}\nf:4: duplicate key \"b\" (first on line 3)");
}

}  // namespace
}  // namespace ksched::api
