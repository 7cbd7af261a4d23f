#include "kube/kubeconfig.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "kube/client_config_test_util.h"
#include "kube/kubeconfig_base64.h"

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct BadCase {
  const char* name;
  const char* text;
  const char* error;
};

TEST(ParseKubeconfig, WrongTypesAreErrorsThatNameTheField) {
  const BadCase cases[] = {
      {"number for a string", "current-context: 5", "line 1: current-context: must be a string, not a number"},
      {"object for a list", "users: {}", "line 1: users: must be a list, not an object"},
      {"list for an object", "users:\n- {name: u, user: [1]}", "line 2: users[0].user: must be an object, not a list"},
      {"string for a bool", "clusters: [{name: k, cluster: {insecure-skip-tls-verify: 'true'}}]",
       "line 1: clusters[0].cluster.insecure-skip-tls-verify: must be a bool, not a string"},
      {"string for a list", "users: [{name: u, user: {as-user-extra: {a: b}}}]",
       "line 1: users[0].user.as-user-extra[a]: must be a list of strings, not a string"},
      {"number in a list", "users: [{name: u, user: {as-groups: [a, 1]}}]",
       "line 1: users[0].user.as-groups[1]: must be a string, not a number"},
      {"broken base64", "users: [{name: u, user: {client-key-data: 'c2Vj$'}}]",
       "line 1: users[0].user.client-key-data: illegal base64 data at input byte 4"},
      {"other kind", "kind: Pod\napiVersion: v1", "line 1: no kind \"Pod\" is registered for version \"v1\""},
      {"other version", "apiVersion: v2", "line 1: no kind \"Config\" is registered for version \"v2\""},
      {"name twice", "users:\n- name: a\n- name: a", "line 3: users[1]: duplicate name \"a\" in list"},
      {"no object", "[1, 2]", "line 1: expected an object, found an array"},
      {"no YAML", "a: [", "did not find expected node content"},
      {"key twice", "current-context: a\ncurrent-context: b", "line 2: duplicate key \"current-context\""},
  };
  for (const BadCase& one : cases) {
    EXPECT_THAT(ErrorOf(ParseKubeconfig(one.text)), HasSubstr(one.error)) << one.name;
  }
}

TEST(ParseKubeconfig, NoMessageHasTheValue) {
  for (const char* text : {"users: [{name: u, user: {token: [s3cret]}}]", "users: [{name: u, user: {token: 5311}}]",
                           "users: [{name: u, user: {client-key-data: 's3cret!'}}]",
                           "users: [{name: u, user: {token: s3cret}}, {name: u, user: {token: s3cret}}]"}) {
    const std::string error = ErrorOf(ParseKubeconfig(text));
    EXPECT_THAT(error, Not(HasSubstr("s3cret"))) << text;
    EXPECT_THAT(error, Not(HasSubstr("5311"))) << text;
    EXPECT_THAT(error, HasSubstr("users[")) << text;
  }
}

TEST(LoadKubeconfig, NamesTheFileThatIsWrong) {
  const TestFolder folder;
  const std::string bad = folder.Write("bad.yaml", "users: 1"), worse = folder.Write("worse.yaml", "contexts: 1");
  EXPECT_EQ(ErrorOf(LoadKubeconfig({.paths = {bad}}, nullptr)),
            "error loading config file \"" + bad + "\": line 1: users: must be a list, not a number");
  EXPECT_EQ(ErrorOf(LoadKubeconfig({.paths = {bad, worse}}, nullptr)),
            "[error loading config file \"" + bad + "\": line 1: users: must be a list, not a number, " +
                "error loading config file \"" + worse + "\": line 1: contexts: must be a list, not a number]");
}

TEST(LoadKubeconfig, WhatCannotBeRead) {
  const TestFolder folder;
  const std::string missing = folder.Path("missing"), itself = folder.Path("");
  EXPECT_EQ(ErrorOf(LoadKubeconfig({.paths = {missing}, .must_exist = true}, nullptr)),
            "stat " + missing + ": no such file or directory");
  EXPECT_EQ(ErrorOf(LoadKubeconfig({.paths = {itself}}, nullptr)),
            "error loading config file \"" + itself + "\": read " + itself + ": is a directory");
}

TEST(LoadKubeconfig, WarnsOnlyIfNoneOfTheFilesExists) {
  const TestFolder folder;
  const std::string there = folder.Write("there.yaml", ""), a = folder.Path("a"), b = folder.Path("b");
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& line) { warnings.push_back(line); };
  Must(LoadKubeconfig({.paths = {a, there, b}, .warn_if_none = true}, warn));
  Must(LoadKubeconfig({.paths = {a, b}}, warn));
  EXPECT_THAT(warnings, ElementsAre());
  Must(LoadKubeconfig({.paths = {a, b}, .warn_if_none = true}, warn));
  EXPECT_THAT(warnings, ElementsAre("Config not found: " + a + ", " + b));
}

TEST(LoadKubeconfig, PathsAndCommandsWithASlashBelongToTheFile) {
  const TestFolder folder;
  const std::string file = folder.Write("sub/config", R"(
users:
- {name: files, user: {tokenFile: ../token, client-key: /abs/key, client-certificate: ./a/../b.crt}}
- {name: plain, user: {exec: {command: plugin}}}
- {name: slash, user: {exec: {command: ./plugin}}}
)");
  const Kubeconfig config = Must(LoadKubeconfig({.paths = {file}}, nullptr));
  EXPECT_EQ(config.users.at("files").token_file, folder.Path("token"));
  EXPECT_EQ(config.users.at("files").client_key, "/abs/key");
  EXPECT_EQ(config.users.at("files").client_certificate, folder.Path("sub/b.crt"));
  EXPECT_EQ(config.users.at("plain").exec->command, "plugin");
  EXPECT_EQ(config.users.at("slash").exec->command, folder.Path("sub/plugin"));
}

TEST(FindKubeconfigFiles, FlagThenEnvironmentThenHome) {
  FakeEnvironment fake;
  fake.variables = {{"HOME", "/somewhere"}};
  const auto get = fake.Make().get;
  EXPECT_THAT(FindKubeconfigFiles("", get).paths, ElementsAre("/somewhere/.kube/config"));
  fake.variables["KUBECONFIG"] = ":/a:b::/a:";
  EXPECT_THAT(FindKubeconfigFiles("", get).paths, ElementsAre("/a", "b"));
  fake.variables["KUBECONFIG"] = ":";
  EXPECT_THAT(FindKubeconfigFiles("", get).paths, ElementsAre());
  EXPECT_THAT(FindKubeconfigFiles("f", get).paths, ElementsAre("f"));
}

TEST(CleanPath, AsInGo) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "."},    {".", "."},       {"/", "/"},    {"a/b/../c", "a/c"}, {"/..", "/"},      {"../../a", "../../a"},
      {"./a", "a"}, {"a//b/", "a/b"}, {"a/..", "."}, {"/a/./b/..", "/a"}, {"a/../..", ".."}, {"//a", "/a"},
  };
  for (const auto& [path, clean] : cases) EXPECT_EQ(CleanPath(path), clean) << path;
}

TEST(Base64, BothWays) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
                                                       {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(Must(DecodeBase64(text)), bytes);
  }
  EXPECT_EQ(Must(DecodeBase64("Zm\n9v\r\nYg=\n=\n")), "foob");
}

TEST(Base64, WhatIsWrongAndWhere) {
  const std::pair<const char*, const char*> cases[] = {{"Zg", "2"}, {"Zg=", "3"},   {"Z===", "1"},     {"Zm9v=", "4"},
                                                       {"=", "0"},  {"Zm 9v", "2"}, {"Zg==Zg==", "4"}, {"Zm-_", "2"}};
  for (const auto& [text, offset] : cases) {
    EXPECT_EQ(ErrorOf(DecodeBase64(text)), std::string("illegal base64 data at input byte ") + offset) << text;
  }
}

}  // namespace
}  // namespace ksched::kube
