// testdata/kubeconfig: what kubectl makes of the same files (tests/e2e/kubeconfig_golden.py).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "api/json_values.h"
#include "kube/kubeconfig_json.h"

namespace ksched::kube {
namespace {

namespace fs = std::filesystem;

std::string Slurp(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Canonical(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  EXPECT_FALSE(document.HasParseError()) << json;
  return document.HasParseError() ? "" : api::CanonicalJson(document);
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator("testdata/kubeconfig")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// The files of a case, found by the rules for the flag and the environment.
KubeconfigFiles FilesOf(const std::string& folder, const rapidjson::Document& given) {
  std::string list;
  if (given.HasMember("kubeconfig")) {
    for (const auto& name : given["kubeconfig"].GetArray()) {
      if (!list.empty() || &name != given["kubeconfig"].Begin()) list += ':';
      if (name.GetStringLength() > 0) list += folder + "/" + name.GetString();
    }
  }
  const std::string home = folder + "/" + (given.HasMember("home") ? given["home"].GetString() : "no-home");
  const auto environment = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "KUBECONFIG" && !list.empty()) return list;
    if (name == "HOME") return home;
    return std::nullopt;
  };
  return FindKubeconfigFiles(given.HasMember("flag") ? folder + "/" + given["flag"].GetString() : "", environment);
}

class KubeconfigGolden : public testing::TestWithParam<std::string> {};

TEST_P(KubeconfigGolden, IsWhatKubectlMakesOfIt) {
  const std::string folder = "testdata/kubeconfig/" + GetParam();
  rapidjson::Document given;
  const std::string text = Slurp(folder + "/case.json");
  ASSERT_FALSE(given.Parse(text.data(), text.size()).HasParseError()) << folder;

  Result<Kubeconfig> config = LoadKubeconfig(FilesOf(folder, given), nullptr);
  ASSERT_TRUE(config.ok()) << config.error().message;
  if (given.HasMember("flatten")) {
    const Result<void> flat = FlattenKubeconfig(*config);
    ASSERT_TRUE(flat.ok()) << flat.error().message;
  }
  EXPECT_EQ(Canonical(RenderKubeconfig(*config)), Canonical(Slurp(folder + "/expected.json")));
}

INSTANTIATE_TEST_SUITE_P(Cases, KubeconfigGolden, testing::ValuesIn(Cases()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ksched::kube
