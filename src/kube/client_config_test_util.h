// What the tests of client configurations share: a folder of their own and an environment that knows nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kube/client_config.h"

namespace ksched::kube {

// Goes with the test. Paths are relative to it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ksched-kube-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  // Returns where it is.
  std::string Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  std::string WriteScript(const std::string& name, const std::string& lines) const {
    std::string path = Write(name, "#!/bin/sh\n" + lines);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

// Variables, a clock and a terminal that the test decides on. It has to live longer than its Environment.
struct FakeEnvironment {
  std::map<std::string, std::string> variables;
  std::vector<std::string> warnings;
  bool terminal = false;
  std::chrono::system_clock::time_point now = std::chrono::sys_days(std::chrono::year(2030) / 1 / 1);

  Environment Make() {
    Environment environment;
    environment.get = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    environment.all = [this] {
      std::vector<std::string> all;
      all.reserve(variables.size());
      for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
      return all;
    };
    environment.stdin_is_terminal = [this] { return terminal; };
    environment.warn = [this](const std::string& line) { warnings.push_back(line); };
    environment.now = [this] { return now; };
    environment.service_account_dir = "/nowhere";
    return environment;
  }
};

// The value, or a failure of the test with the error.
template <typename T>
T Must(Result<T> result) {
  if (result.ok()) return std::move(*result);
  ADD_FAILURE() << result.error().message;
  return T{};
}

template <typename T>
std::string ErrorOf(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().message;
}

}  // namespace ksched::kube
