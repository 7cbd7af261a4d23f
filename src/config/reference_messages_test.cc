// Invalid configurations and what kube-scheduler says to each of them: testdata/messages.txt.
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/test_catalog.h"

namespace ksched::config {
namespace {

struct Case {
  std::string name, input, answer;
};

std::vector<Case> ReadCases() {
  std::ifstream file("src/config/testdata/messages.txt");
  std::vector<Case> cases;
  std::string line;
  bool answer = false;
  while (std::getline(file, line)) {
    if (line.starts_with("==== ")) {
      cases.push_back({line.substr(5), "", ""});
      answer = false;
    } else if (line == "----") {
      answer = true;
    } else if (!cases.empty()) {
      (answer ? cases.back().answer : cases.back().input) += line + "\n";
    }
  }
  for (Case& c : cases) c.answer.pop_back();  // its last line end
  return cases;
}

// What we say, without the place.
std::string Answer(const Case& c) {
  const Result<SchedulerConfiguration> loaded = LoadConfigurationFromText(c.input, "config.yaml", FeatureGates());
  if (!loaded) return std::regex_replace(loaded.error().message, std::regex("^config\\.yaml:\\d+: "), "");
  const TestCatalog catalog;
  for (const Profile& profile : loaded->profiles) {
    const Result<ExpandedProfile> expanded = ExpandProfile(profile, catalog);
    if (!expanded) return expanded.error().message;
  }
  return "ok";
}

TEST(ReferenceMessagesTest, AllCases) {
  const std::vector<Case> cases = ReadCases();
  ASSERT_GT(cases.size(), 80U);
  for (const Case& c : cases) EXPECT_EQ(Answer(c), c.answer) << c.name << ":\n" << c.input;
}

}  // namespace
}  // namespace ksched::config
