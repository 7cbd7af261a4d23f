#include "app/cli/record_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace ksched::cli {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

class RecordTargetTest : public testing::Test {
 protected:
  RecordTargetTest() : folder_(fs::path(testing::TempDir()) / ("record-target-" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "below");
    std::ofstream(folder_ / "pod.yaml") << "kind: Pod\n";
    fs::create_symlink("pod.yaml", folder_ / "link");
  }
  ~RecordTargetTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  // What is wrong with it; empty: nothing.
  static std::string Check(const SimulateOptions& options) {
    const auto checked = CheckRecordTarget(options);
    return checked ? "" : checked.error().message;
  }

  const fs::path folder_;
};

TEST_F(RecordTargetTest, NoInput) {
  SimulateOptions options;
  options.record = Path("pod.yaml");
  EXPECT_EQ(Check(options), "");
  const std::string same = Path("below/../pod.yaml");
  for (const std::string& input : {Path("pod.yaml"), Path("link"), same}) {
    SimulateOptions one = options;
    one.filenames = {Path("below"), input};
    EXPECT_THAT(Check(one), HasSubstr("is what --filename reads"));
    one = options;
    one.snapshots = {input};
    EXPECT_THAT(Check(one), HasSubstr("is what --snapshot reads"));
    one = options;
    one.replay = input;
    EXPECT_THAT(Check(one), HasSubstr("is what --replay reads"));
    one = options;
    one.events = input;
    EXPECT_THAT(Check(one), HasSubstr("is what --events reads"));
    one = options;
    one.config = input;
    EXPECT_THAT(Check(one), HasSubstr("is what --config reads"));
  }
}

TEST_F(RecordTargetTest, NotAmongTheFilesOfAFolder) {
  SimulateOptions options;
  options.filenames = {folder_.string()};
  for (const char* name : {"new.json", "new.json.gz", "new.yaml"}) {
    options.record = Path(name);
    EXPECT_THAT(Check(options), HasSubstr("would be read with the other files"));
  }
  for (const char* name : {"new.log", "new", "below/new.json"}) {
    options.record = Path(name);
    EXPECT_EQ(Check(options), "");
  }
  options.recursive = true;
  EXPECT_THAT(Check(options), HasSubstr("would be read with the other files"));
  options.filenames = {Path("pod.yaml")};
  EXPECT_EQ(Check(options), "");
}

}  // namespace
}  // namespace ksched::cli
