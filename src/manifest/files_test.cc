#include "manifest/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/testing.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() {
    for (const char* name : {"d/b.yaml", "d/a.yml", "d/c.json.gz", "d/readme.md", "d/sub/x.json", "one.txt"})
      files_.Write(name, "");
    std::filesystem::create_directories(files_.Path("empty"));
  }
  std::vector<std::string> Expand(const std::vector<std::string>& arguments, bool recursive) {
    std::vector<std::string> paths;
    for (const std::string& argument : arguments) paths.push_back(argument == "-" ? "-" : files_.Path(argument));
    auto expanded = ExpandFiles(paths, recursive);
    if (!expanded) return {"error: " + files_.Short(expanded.error().message)};
    for (std::string& file : *expanded) file = files_.Short(file);
    return *expanded;
  }
  TestFiles files_;
};

TEST_F(Files, InTheOrderOfTheArguments) {
  EXPECT_THAT(Expand({"one.txt", "-", "d", "one.txt"}, false),
              ElementsAre("one.txt", "-", "d/a.yml", "d/b.yaml", "d/c.json.gz", "one.txt"));
}

TEST_F(Files, Recursive) {
  EXPECT_THAT(Expand({"d"}, true), ElementsAre("d/a.yml", "d/b.yaml", "d/c.json.gz", "d/sub/x.json"));
}

TEST_F(Files, Errors) {
  EXPECT_THAT(Expand({"none.yaml"}, false), ElementsAre(HasSubstr("none.yaml\" does not exist")));
  EXPECT_THAT(Expand({"empty"}, false), ElementsAre(HasSubstr("has no manifests (.yaml, .yml, .json); -R looks")));
  EXPECT_THAT(Expand({"empty"}, true), ElementsAre(HasSubstr("has no manifests")));
}

TEST_F(Files, SymbolicLinks) {
  std::filesystem::create_directory_symlink(files_.Path("d/sub"), files_.Path("empty/linked"));
  EXPECT_THAT(Expand({"empty"}, true), ElementsAre("empty/linked/x.json"));
  std::filesystem::create_directory_symlink("..", files_.Path("d/sub/loop"));
  EXPECT_THAT(Expand({"d"}, true), ElementsAre(HasSubstr("d/sub/loop: a symbolic link that leads back to d")));
  EXPECT_THAT(Expand({"d"}, false), ElementsAre("d/a.yml", "d/b.yaml", "d/c.json.gz"));
  std::filesystem::create_symlink("self.yaml", files_.Path("empty/self.yaml"));
  EXPECT_THAT(Expand({"empty"}, false), ElementsAre(HasSubstr("empty/self.yaml: ")));
}

}  // namespace
}  // namespace ksched
