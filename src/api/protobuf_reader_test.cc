#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/message_test_util.h"
#include "api/objects.h"

namespace ksched::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

struct Outcome {
  bool ok = false;
  Decoded decoded;
  std::string problems;
};

Outcome Decode(std::string_view version, std::string_view kind, std::string_view message) {
  Outcome outcome;
  Problems problems;
  outcome.ok = DecodeProtobuf(version, kind, message, "url", outcome.decoded, problems);
  for (const Problem& problem : problems) outcome.problems += problem.ToString() + "\n";
  return outcome;
}

Pod DecodePod(const MessageBuilder& spec) {
  Outcome outcome = Decode("v1", "Pod", MessageBuilder().Bytes(1, MetaMessage("web")).Bytes(2, spec).Done());
  EXPECT_EQ(outcome.problems, "");
  return outcome.ok ? std::get<Pod>(outcome.decoded.object) : Pod();
}

TEST(DecodeProtobuf, APodIsDefaultedAndNamed) {
  const MessageBuilder requests = MessageBuilder().Entry(2, "cpu", MessageBuilder().Bytes(1, "250m").Done());
  const MessageBuilder container = MessageBuilder().Bytes(1, "main").Bytes(2, "nginx").Bytes(8, requests);
  const Pod pod = DecodePod(MessageBuilder().Bytes(2, container).Bytes(10, "n1").Number(25, -5).Number(11, 1));
  EXPECT_EQ(pod.metadata.ns, "shop");
  EXPECT_EQ(pod.metadata.uid, "shop/web");
  EXPECT_EQ(pod.spec.scheduler_name, "default-scheduler");
  EXPECT_EQ(pod.spec.node_name, "n1");
  EXPECT_EQ(pod.spec.priority, -5);
  EXPECT_TRUE(pod.spec.host_network);
  ASSERT_EQ(pod.spec.containers.size(), 1u);
  EXPECT_EQ(pod.spec.containers[0].resources.requests.at("cpu").MilliValue(), 250);
}

TEST(DecodeProtobuf, FieldsThatNoTableNamesArePassedOver) {
  const Pod pod = DecodePod(MessageBuilder().Bytes(17, "x").Number(900, 7).Bytes(10, "n1").Bytes(2000, "y"));
  EXPECT_EQ(pod.spec.node_name, "n1");
}

TEST(DecodeProtobuf, MapsAreSortedAndTheLastOfAKeyCounts) {
  const MessageBuilder spec = MessageBuilder().Entry(7, "b", "1").Entry(7, "a", "2").Bytes(10, "n").Entry(7, "b", "3");
  EXPECT_THAT(DecodePod(spec).spec.node_selector, ElementsAre(Pair("a", "2"), Pair("b", "3")));
}

TEST(DecodeProtobuf, AnEntryMayLackItsParts) {
  const MessageBuilder spec = MessageBuilder().Bytes(7, MessageBuilder().Bytes(1, "only-key"));
  EXPECT_THAT(DecodePod(spec).spec.node_selector, ElementsAre(Pair("only-key", "")));
}

TEST(DecodeProtobuf, TimesAreWholeSecondsAndZeroIsAbsent) {
  const MessageBuilder time = MessageBuilder().Number(1, 5).Number(2, 999);
  const MessageBuilder metadata = MessageBuilder().Bytes(1, "web").Bytes(8, time).Bytes(9, "");
  const Outcome outcome = Decode("v1", "Namespace", MessageBuilder().Bytes(1, metadata).Done());
  ASSERT_EQ(outcome.problems, "");
  const ObjectMeta& read = MetadataOf(outcome.decoded.object);
  EXPECT_EQ(read.creation_timestamp, 5'000'000'000);
  EXPECT_FALSE(read.deletion_timestamp.has_value());
}

TEST(DecodeProtobuf, NumbersOrTexts) {
  const auto surge = [](const MessageBuilder& value) {
    const MessageBuilder strategy = MessageBuilder().Bytes(1, "").Bytes(2, MessageBuilder().Bytes(2, value));
    const MessageBuilder spec = MessageBuilder().Bytes(4, strategy);
    Outcome outcome =
        Decode("apps/v1", "Deployment", MessageBuilder().Bytes(1, MetaMessage("d")).Bytes(2, spec).Done());
    EXPECT_EQ(outcome.problems, "");
    return *std::get<Workload>(outcome.decoded.object).max_surge;
  };
  EXPECT_EQ(surge(MessageBuilder().Number(1, 0).Number(2, 3).Bytes(3, "")), (IntOrString{.number = 3}));
  EXPECT_EQ(surge(MessageBuilder().Number(1, 1).Number(2, 0).Bytes(3, "30%")),
            (IntOrString{.is_text = true, .text = "30%"}));
}

TEST(DecodeProtobuf, APolicyOfANodeReadsAsItsJson) {
  const MessageBuilder policy = MessageBuilder().Bytes(1, "cpu").Bytes(1, "memory");
  const MessageBuilder spec = MessageBuilder().Bytes(8, policy);
  const Outcome outcome = Decode("v1", "Node", MessageBuilder().Bytes(1, MetaMessage("n")).Bytes(2, spec).Done());
  ASSERT_EQ(outcome.problems, "");
  EXPECT_EQ(std::get<Node>(outcome.decoded.object).spec.pod_preemption_policy,
            R"({"disableResizePreemption":["cpu","memory"]})");
}

// Each in the spec of a pod named web.
TEST(DecodeProtobuf, WhatIsMalformedIsNamed) {
  const std::string half = MessageBuilder().Bytes(1, "main").Done();
  const struct {
    const char* name;
    std::string spec;
    const char* problem;
  } kCases[] = {
      {"cut in a field", MessageBuilder().Bytes(10, "n1").Done().substr(0, 3),
       "url: Pod shop/web: spec.nodeName: malformed protobuf: it ends in the middle of a field"},
      {"cut in a container", MessageBuilder().Bytes(2, half).Bytes(2, half.substr(0, 4)).Done(),
       "spec.containers[1].name: malformed protobuf: it ends in the middle of a field"},
      {"a number for a text", MessageBuilder().Number(10, 1).Done(),
       "spec.nodeName: malformed protobuf: expected bytes"},
      {"a text for a number", MessageBuilder().Bytes(25, "x").Done(),
       "spec.priority: malformed protobuf: expected a nu"},
      {"too large a number", MessageBuilder().Number(25, int64_t{1} << 40).Done(),
       "spec.priority: number 1099511627776 out of range"},
      {"a long number", std::string("\xC8\x01") + std::string(11, '\xFF'),
       "spec.priority: malformed protobuf: a number"},
      {"field 0", std::string("\x00\x00", 2), "spec: malformed protobuf: a field has an impossible number"},
      {"a group", std::string("\x0B\x0C", 2), "spec: malformed protobuf: a field is of an unknown wire type"},
      {"a field twice", MessageBuilder().Bytes(10, "a").Bytes(10, "b").Done(),
       "spec.nodeName: malformed protobuf: the field comes twice"},
      {"a quantity", MessageBuilder().Entry(32, "cpu", MessageBuilder().Bytes(1, "much").Done()).Done(),
       "spec.overhead[cpu]: Invalid value: \"much\""},
      {"an entry cut short", MessageBuilder().Bytes(7, std::string("\x0A\x09k", 3)).Done(),
       "spec.nodeSelector: malformed protobuf: it ends in the middle of a field"},
  };
  for (const auto& test : kCases) {
    const Outcome outcome =
        Decode("v1", "Pod", MessageBuilder().Bytes(1, MetaMessage("web")).Bytes(2, test.spec).Done());
    EXPECT_FALSE(outcome.ok) << test.name;
    EXPECT_THAT(outcome.problems, HasSubstr(test.problem)) << test.name;
  }
}

TEST(DecodeProtobuf, EveryPrefixIsReadOrRefused) {
  const MessageBuilder container = MessageBuilder().Bytes(1, "main").Bytes(2, "nginx");
  const MessageBuilder spec = MessageBuilder().Bytes(2, container).Entry(7, "zone", "a").Number(25, 1 << 20);
  const std::string whole = MessageBuilder().Bytes(1, MetaMessage("web")).Bytes(2, spec).Done();
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string copy = whole.substr(0, size);  // of its own, so that a sanitizer sees what lies behind it
    const Outcome outcome = Decode("v1", "Pod", copy);
    EXPECT_EQ(outcome.ok, outcome.problems.empty());
    if (!outcome.ok) ++refused;
  }
  EXPECT_GE(refused, whole.size() - 2);  // all but the pod without a spec
}

TEST(DecodeProtobuf, TooManyElementsAreRefused) {
  std::string spec;
  for (int i = 0; i < 1'000'001; ++i) spec.append("\x12\x00", 2);  // an empty container
  const Outcome outcome = Decode("v1", "Pod", MessageBuilder().Bytes(1, MetaMessage("web")).Bytes(2, spec).Done());
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.problems, HasSubstr("more than a million elements in one object"));
}

TEST(DecodeProtobuf, KindsThatDoNotMatterAreIgnored) {
  const Outcome outcome = Decode("v1", "ConfigMap", "\xFF");
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.decoded.kind_class, KindClass::kIgnored);
  EXPECT_THAT(Decode("apps/v7", "Deployment", "").problems, HasSubstr("is registered for version \"apps/v7\""));
}

}  // namespace
}  // namespace ksched::api
