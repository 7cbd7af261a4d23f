#include "api/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

TEST(ProblemTest, LeavesOutWhatIsEmpty) {
  Problem problem{"deploy.yaml", {12, 3}, "Pod default/web", "spec.containers[0].image", "must not be empty"};
  EXPECT_EQ(problem.ToString(), "deploy.yaml:12: Pod default/web: spec.containers[0].image: must not be empty");
  problem.object.clear();
  EXPECT_EQ(problem.ToString(), "deploy.yaml:12: spec.containers[0].image: must not be empty");
  problem.field.clear();
  problem.position = {};
  EXPECT_EQ(problem.ToString(), "deploy.yaml: must not be empty");
  problem.file.clear();
  EXPECT_EQ(problem.ToString(), "must not be empty");
}

TEST(DocumentTest, TellsJsonFromYaml) {
  struct Row {
    const char *name, *text, *want;
  };
  for (const Row& row : {
           Row{"json", "{\"a\": 1}", R"({"a":1})"},
           Row{"json stream", "{\"a\":1} {\"b\":2}\n{\"c\":3}\n", "{\"a\":1}\n{\"b\":2}\n{\"c\":3}"},
           Row{"json with byte order mark", "\xEF\xBB\xBF{\"a\":1}", R"({"a":1})"},
           Row{"yaml with byte order mark",
               "\xEF\xBB\xBF"
               "a: 1",
               R"({"a":1})"},
           Row{"flow mapping", "{a: 1, b: [x, z]}", R"({"a":1,"b":["x","z"]})"},
           Row{"comma at the end", "{\"a\": 1,}", R"({"a":1})"},
           Row{"json, then yaml", "{\"a\":1}\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}"},
           Row{"json, then a comment", "{\"a\":1}\n# end\n", R"({"a":1})"},
           Row{"json documents in a yaml stream", "---\n{\"a\":1}\n---\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}"},
           Row{"nothing", "", ""},
           Row{"white space", " \n\n  \n", ""},
           Row{"comments only", "# a\n# b\n", ""},
           Row{"empty documents", "---\n---\n# x\n---\na: 1\n---\n", R"({"a":1})"},
           Row{"meant as json", "{\"a\": 1 \"b\": 2}", R"(f:1: expected "," or "}" after a value, found """)"},
           Row{"meant as yaml", "{a: 1, b: ]}", "f:1: did not find expected node content while parsing a flow node"},
       }) {
    EXPECT_EQ(Outcome(row.text), row.want) << row.name;
  }
}

TEST(DocumentTest, OnlyObjectsAreDocuments) {
  EXPECT_EQ(Outcome("[{\"a\":1}]"), "f:1: expected an object, found an array");
  EXPECT_EQ(Outcome("\n- a\n"), "f:2: expected an object, found an array");
  EXPECT_EQ(Outcome("{\"a\":1}\n3"), "{\"a\":1}\nf:2: expected an object, found a number");
  EXPECT_EQ(Outcome("a: 1\n---\ntext\n"), "{\"a\":1}\nf:3: expected an object, found a string");
  EXPECT_EQ(Outcome("true\n"), "f:1: expected an object, found a boolean");
}

TEST(DocumentTest, FilesThatCannotBeRead) {
  Problems problems;
  const auto visit = [](const Document&) {};
  const Result<void> missing = ReadDocuments("/nonexistent/x.yaml", visit, problems);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "the path \"/nonexistent/x.yaml\" does not exist");
  const Result<void> folder = ReadDocuments("/", visit, problems);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().message, "\"/\" is a directory, not a file");
  EXPECT_TRUE(problems.empty());
}

TEST(DocumentTest, ReadsAFile) {
  std::string file = (std::filesystem::temp_directory_path() / "ksched_document_XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  ASSERT_GE(descriptor, 0);
  std::ofstream(file) << "a: 1\n---\nb: 2\nb: 3\n";
  Problems problems;
  std::string seen;
  const auto visit = [&](const Document& document) { seen += document.file() + ToJson(document.root()); };
  EXPECT_TRUE(ReadDocuments(file, visit, problems).ok());
  EXPECT_EQ(seen, file + "{\"a\":1}");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].ToString(), file + ":4: duplicate key \"b\" (first on line 3)");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ksched::api
