// Compares the readings of every kind with those of the Go module k8s.io/api, whose tests have each kind in JSON and in
// protobuf with every field set. The folder is named by KSCHED_API_TESTDATA (./dev tools api-testdata prints it);
// without it there is nothing to compare, and that is a failure.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "api/field_writer.h"
#include "api/kinds.h"
#include "api/message_document.h"
#include "api/message_reader.h"

namespace ksched::api {
namespace {

std::string Contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What runtime.Unknown wraps.
std::string_view MessageOf(std::string_view body) {
  if (!body.starts_with(std::string_view("k8s\0", 4))) return {};
  MessageReader in(body.substr(4));
  std::string_view raw;
  while (in.Next()) {
    if (in.number() == 2) in.ReadBytes(raw);
  }
  return raw;
}

std::string Texts(const Problems& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.ToString() + "\n";
  return text;
}

// All that an object has, defaults and validation aside: the writer leaves nothing out that is not empty.
std::string Written(const KindInfo& info, const Object& object) {
  std::string text;
  const JsonOptions options;
  JsonOutput out(text, options);
  out.StartObject();
  info.codec.write(object, out);
  out.EndObject();
  return text;
}

struct Reading {
  Object object;
  std::string problems;
};

Reading ReadAsJson(const KindInfo& info, const std::string& text) {
  Reading reading;
  Problems problems;
  ReadDocumentsFromText(
      text, "json",
      [&](const Document& document) {
        ProblemReporter reporter(document, problems);
        info.codec.read(document.root(), reading.object, reporter);
      },
      problems);
  reading.problems = Texts(problems);
  return reading;
}

Reading ReadAsProtobuf(const KindInfo& info, std::string_view message) {
  Reading reading;
  Problems problems;
  const std::string source = "protobuf";
  const MessageDocument document(source, info.kind, message);
  ProblemReporter reporter(document, problems);
  info.codec.read_protobuf(message, reading.object, reporter);
  reading.problems = Texts(problems);
  return reading;
}

// The kind of "apps.v1.Deployment.json": nothing that is not read here.
const KindInfo* KindOfFile(const std::string& stem) {
  const size_t kind = stem.rfind('.'), version = stem.rfind('.', kind - 1);
  if (kind == std::string::npos || version == std::string::npos) return nullptr;
  std::string group = stem.substr(0, version);
  if (group == "core") group.clear();
  const KindInfo* info = FindKind(group, stem.substr(kind + 1));
  if (info == nullptr || info->codec.read == nullptr) return nullptr;
  for (const std::string_view known : info->versions) {
    if (known == stem.substr(version + 1, kind - version - 1)) return info;
  }
  return nullptr;
}

bool ReadAlike(const std::string& name, const KindInfo& info, const std::string& text, std::string_view message) {
  const Reading json = ReadAsJson(info, text), protobuf = ReadAsProtobuf(info, message);
  const std::string written = Written(info, json.object);
  const Reading again = ReadAsJson(info, written);
  EXPECT_EQ(json.problems + protobuf.problems + again.problems, "") << name;
  EXPECT_GT(written.size(), 100u) << name << ": " << written;
  EXPECT_EQ(Written(info, protobuf.object), written) << name;
  EXPECT_EQ(Written(info, again.object), written) << name;
  return written.size() > 100 && Written(info, protobuf.object) == written && Written(info, again.object) == written &&
         json.problems.empty() && protobuf.problems.empty() && again.problems.empty();
}

TEST(ApiTestdata, JsonAndProtobufReadAlike) {
  const char* folder = std::getenv("KSCHED_API_TESTDATA");
  ASSERT_NE(folder, nullptr) << "set KSCHED_API_TESTDATA to what ./dev tools api-testdata prints";
  std::error_code error;
  size_t passed = 0, failed = 0, typed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& file = entry.path();
    const KindInfo* info = file.extension() == ".json" ? KindOfFile(file.stem().string()) : nullptr;
    if (info == nullptr) continue;
    const std::string name = file.stem().string();
    const std::string protobuf = Contents(std::filesystem::path(file).replace_extension(".pb"));
    const std::string text = Contents(file);
    const bool alike = ReadAlike(name, *info, text, MessageOf(protobuf));
    ++(alike ? passed : failed);
    if (!std::holds_alternative<OtherObject>(ReadAsJson(*info, text).object)) ++typed;
  }
  ASSERT_FALSE(error) << folder << ": " << error.message();
  EXPECT_GE(typed, 30u);
  std::cout << "compared " << passed + failed << " kinds and versions, " << typed << " of them by their own fields\n"
            << "api-testdata: " << passed << " passed, " << failed << " failed\n";
}

}  // namespace
}  // namespace ksched::api
