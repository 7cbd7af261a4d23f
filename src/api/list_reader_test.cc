#include "api/list_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/message_test_util.h"

namespace ksched::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  std::vector<std::string> items;
  ListMeta meta;
  std::string error;
};

Outcome Drive(ListReader& reader, std::string_view body, size_t piece, Outcome& outcome) {
  for (size_t at = 0; at < body.size(); at += piece) {
    const std::string chunk(body.substr(at, piece));
    if (const Result<void> fed = reader.Feed(chunk); !fed) {
      outcome.error = fed.error().message;
      return outcome;
    }
  }
  Result<ListMeta> meta = reader.Finish();
  if (meta) {
    outcome.meta = *meta;
  } else {
    outcome.error = meta.error().message;
  }
  return outcome;
}

Outcome ReadProtobufList(std::string_view body, size_t piece = SIZE_MAX / 2) {
  Outcome outcome;
  const auto reader = MakeProtobufListReader([&](std::string_view item) {
    outcome.items.emplace_back(item);
    return Result<void>();
  });
  return Drive(*reader, body, piece, outcome);
}

Outcome ReadJsonList(std::string_view body, size_t piece = SIZE_MAX / 2) {
  Outcome outcome;
  const auto reader = MakeJsonListReader(
      [&](const Document& document) {
        const auto& root = document.root();
        outcome.items.push_back(std::string(root["apiVersion"].GetString()) + " " + root["kind"].GetString() + " " +
                                root["metadata"]["name"].GetString());
        return Result<void>();
      },
      "url");
  return Drive(*reader, body, piece, outcome);
}

std::string PodList(const std::vector<std::string>& items) {
  MessageBuilder list;
  list.Bytes(1, MessageBuilder().Bytes(1, "").Bytes(2, "4711").Bytes(3, "more").Number(4, 9));
  for (const std::string& item : items) list.Bytes(2, item);
  return Envelope("PodList", list.Done());
}

TEST(ProtobufList, PiecesOfAnySize) {
  const std::vector<std::string> items = {"first", "", std::string(300, 'x'), "last"};
  const std::string body = PodList(items);
  for (size_t piece = 1; piece <= body.size(); ++piece) {
    const Outcome outcome = ReadProtobufList(body, piece);
    ASSERT_EQ(outcome.error, "") << piece;
    ASSERT_EQ(outcome.items, items) << piece;
    ASSERT_EQ(outcome.meta.resource_version, "4711") << piece;
    ASSERT_EQ(outcome.meta.continue_token, "more") << piece;
  }
}

TEST(ProtobufList, ItemsComeAsSoonAsTheyAreThere) {
  const std::string body = PodList({"first", "second"});
  size_t seen = 0;
  const auto reader = MakeProtobufListReader([&](std::string_view) {
    ++seen;
    return Result<void>();
  });
  ASSERT_TRUE(reader->Feed(body.substr(0, body.find("second"))).ok());
  EXPECT_EQ(seen, 1u);
  ASSERT_TRUE(reader->Feed(body.substr(body.find("second"), 6)).ok());
  EXPECT_EQ(seen, 2u);
}

TEST(ProtobufList, FieldsThatNobodyWantsArePassedOver) {
  const std::string list = MessageBuilder().Number(7, 1).Bytes(9, std::string(500, 'z')).Bytes(2, "item").Done();
  for (const size_t piece : {1, 10, 10000}) {
    EXPECT_THAT(ReadProtobufList(Envelope("PodList", list), piece).items, ElementsAre("item"));
  }
}

TEST(ProtobufList, AnEmptyList) {
  EXPECT_EQ(ReadProtobufList(Envelope("PodList", "")).error, "");
  EXPECT_THAT(ReadProtobufList(PodList({})).items, IsEmpty());
}

TEST(ProtobufList, EveryBodyCutShortIsRefused) {
  const std::string body = PodList({"first", "second"});
  const size_t tail = 4;  // contentEncoding and contentType, which may be absent
  for (size_t size = 0; size < body.size() - tail; ++size) {
    EXPECT_NE(ReadProtobufList(body.substr(0, size)).error, "") << size;
  }
  EXPECT_EQ(ReadProtobufList(body.substr(0, body.find("second") + 2)).error, "the list ends in the middle of an item");
  EXPECT_EQ(ReadProtobufList("").error, "the answer is empty");
}

TEST(ProtobufList, WhatIsRefused) {
  const std::string body = PodList({"first"});
  const std::string status = MessageBuilder().Bytes(2, "Failure").Bytes(3, "pods is forbidden").Number(6, 403).Done();
  std::string overlong = body;
  overlong[body.find("first") - 1] = 100;
  const struct {
    const char* name;
    std::string body;
    const char* error;
  } kCases[] = {
      {"a status", Envelope("Status", status), "pods is forbidden"},
      {"no list", Envelope("Pod", ""), "expected a list, found a Pod"},
      {"JSON", R"({"kind": "PodList"})", "the answer is no list in protobuf"},
      {"rubbish behind", body + "xyz", "the answer goes on after the list"},
      {"a second list", body + Envelope("PodList", ""), "the answer goes on after the list"},
      {"an item longer than the list", overlong, "malformed protobuf: an item is longer than its list"},
      {"no type", std::string("k8s\0", 4) + MessageBuilder().Bytes(2, "").Done(), "the answer is no list in protobuf"},
      {"a huge item", Envelope("PodList", std::string("\x12\xFF\xFF\xFF\xFF\x0F", 6)),
       "malformed protobuf: an item is"},
      {"packed",
       std::string("k8s\0", 4) +
           MessageBuilder().Bytes(1, MessageBuilder().Bytes(2, "PodList")).Bytes(2, "").Bytes(3, "gzip").Done(),
       "the list has the content encoding gzip"},
  };
  for (const auto& test : kCases) {
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{100000}}) {
      EXPECT_THAT(ReadProtobufList(test.body, piece).error, StartsWith(test.error)) << test.name << " " << piece;
    }
  }
}

TEST(ProtobufList, TheVisitorsErrorIsPassedOn) {
  const auto reader = MakeProtobufListReader([](std::string_view) { return Result<void>(Error{"no more"}); });
  const Result<void> fed = reader->Feed(PodList({"first"}));
  ASSERT_FALSE(fed.ok());
  EXPECT_EQ(fed.error().message, "no more");
}

constexpr char kJsonPage[] = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c"},)"
                             R"("items":[{"metadata":{"name":"a"}},{"kind":"Other","metadata":{"name":"b"}}]})";

TEST(JsonList, ItemsGetTheListsKind) {
  for (const size_t piece : {1, 13, 100000}) {
    const Outcome outcome = ReadJsonList(kJsonPage, piece);
    EXPECT_EQ(outcome.error, "");
    EXPECT_THAT(outcome.items, ElementsAre("v1 Pod a", "v1 Other b"));
    EXPECT_EQ(outcome.meta.resource_version, "7");
    EXPECT_EQ(outcome.meta.continue_token, "c");
  }
  EXPECT_EQ(ReadJsonList(R"({"kind":"PodList","items":null})").error, "");
}

TEST(JsonList, WhatIsRefused) {
  const std::string page = kJsonPage;
  const struct {
    const char* name;
    std::string body;
    const char* error;
  } kCases[] = {
      {"empty", " \n", "the answer is empty"},
      {"cut short", page.substr(0, page.size() - 3), "the list is cut short"},
      {"rubbish behind", page + " {}", "the answer goes on after the list"},
      {"a status", R"({"kind":"Status","message":"pods is forbidden"})", "pods is forbidden"},
      {"no list", R"({"kind":"Pod"})", "expected a list, found a Pod"},
      {"no object", "[1]", "expected a list, found an array"},
      {"no JSON", "{a}", "malformed JSON at byte 1: "},
      {"items", R"({"kind":"PodList","items":{}})", "items: expected an array, found an object"},
      {"an item", R"({"kind":"PodList","items":[7]})", "items[0]: expected an object, found a number"},
      {"a key twice", R"({"kind":"PodList","kind":"PodList"})", "malformed JSON: the key \"kind\" comes twice"},
      {"no UTF-8", "{\"kind\":\"\xFF\"}", "malformed JSON: it is no UTF-8"},
  };
  for (const auto& test : kCases) EXPECT_THAT(ReadJsonList(test.body).error, StartsWith(test.error)) << test.name;
}

}  // namespace
}  // namespace ksched::api
