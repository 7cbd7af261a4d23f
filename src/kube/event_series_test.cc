#include "kube/event_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/identity.h"

namespace ksched::kube {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeNs kTime = 1'700'000'000'123'456'789;
constexpr TimeNs kMinute = 60 * kNsPerSecond;

EventMessage Failed(const std::string& pod, const std::string& note = "0/1 nodes are available.") {
  return {.controller = "ksched",
          .type = "Warning",
          .reason = "FailedScheduling",
          .action = "Scheduling",
          .note = note,
          .regarding = {.ns = "shop", .name = pod, .uid = "u-" + pod, .resource_version = "7"}};
}
Event FailedAt(const std::string& pod, TimeNs time) { return MakeEvent(Failed(pod), "host", time); }

TEST(EventBody, Event) {
  EventMessage message = Failed("web-1");
  message.related = ObjectReference{.ns = "shop", .name = "big", .uid = "u-2"};
  EXPECT_EQ(
      EventJson(MakeEvent(message, "host", kTime)),
      R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"web-1.17979cfe3d85cd15","namespace":"shop"},)"
      R"("eventTime":"2023-11-14T22:13:20.123456Z","reportingController":"ksched","reportingInstance":"ksched-host",)"
      R"("action":"Scheduling","reason":"FailedScheduling",)"
      R"("regarding":{"kind":"Pod","namespace":"shop","name":"web-1","uid":"u-web-1","apiVersion":"v1","resourceVersion":"7"},)"
      R"("related":{"kind":"Pod","namespace":"shop","name":"big","uid":"u-2","apiVersion":"v1"},)"
      R"("note":"0/1 nodes are available.","type":"Warning"})");
}

TEST(EventBody, Series) {
  Event event = FailedAt("web-1", kTime);
  event.series = EventRepeats{.count = 5, .last = 1'700'001'000 * kNsPerSecond};
  const std::string series = R"("series":{"count":5,"lastObservedTime":"2023-11-14T22:30:00.000000Z"})";
  EXPECT_EQ(SeriesPatch(event), "{" + series + "}");
  EXPECT_THAT(EventJson(event), HasSubstr(series));
}

TEST(EventBody, ObjectsWithoutANamespace) {
  EventMessage message = Failed("node-1");
  message.regarding = {.kind = "Node", .name = "node-1"};
  const Event event = MakeEvent(message, "host", kTime);
  EXPECT_EQ(event.ns, "default");
  EXPECT_THAT(EventJson(event), HasSubstr(R"("regarding":{"kind":"Node","name":"node-1","apiVersion":"v1"})"));
}

TEST(EventBody, NotesAreCutAsTheReferenceCutsThem) {
  EXPECT_EQ(MakeEvent(Failed("a", std::string(1024, 'x')), "h", kTime).message.note, std::string(1024, 'x'));
  EXPECT_EQ(MakeEvent(Failed("a", std::string(1025, 'x')), "h", kTime).message.note, std::string(1020, 'x') + " ...");
  // But for half letters, with which the note would be too long in JSON.
  const std::string umlauts = "x" + std::string(1018, 'y') + "\u00e4\u00e4\u00e4\u00e4";
  EXPECT_EQ(MakeEvent(Failed("a", umlauts), "h", kTime).message.note, "x" + std::string(1018, 'y') + " ...");
}

TEST(EventBody, NamesThatWouldBeNone) {
  for (const std::string& name : {std::string(250, 'a'), std::string("system:node:x")}) {
    EXPECT_THAT(MakeEvent(Failed(name), "host", kTime).name, testing::MatchesRegex("[0-9a-f-]{36}")) << name;
  }
  EventMessage message = Failed("a");
  message.controller = std::string(200, 'c');
  EXPECT_EQ(MakeEvent(message, "host", kTime).instance, std::string(128, 'c'));
}

TEST(EventBody, Identities) {
  EXPECT_FALSE(Hostname().empty());
  EXPECT_THAT(NewUuid(), testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(NewIdentity(), NewIdentity());
  EXPECT_THAT(NewIdentity(), testing::StartsWith(Hostname() + "_"));
}

TEST(EventSeries, TheSecondMakesASeriesAndLaterOnesAreCounted) {
  EventSeries series(10);
  const Event first = FailedAt("a", kTime);
  ASSERT_THAT(series.Add(first), SizeIs(1));
  const auto second = series.Add(FailedAt("a", kTime + kMinute));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0]->name, first.name);
  EXPECT_EQ(second[0]->series->count, 2);
  EXPECT_EQ(second[0]->series->last, kTime + kMinute);
  EXPECT_THAT(series.Add(FailedAt("a", kTime + 2 * kMinute)), IsEmpty());
  const auto running = series.Running();
  ASSERT_THAT(running, SizeIs(1));
  EXPECT_EQ(running[0]->series->count, 3);
  EXPECT_EQ(running[0]->series->last, kTime + 2 * kMinute);
}

TEST(EventSeries, WhatIsTheSame) {
  const Event event = FailedAt("a", kTime);
  EXPECT_EQ(EventKey(event), EventKey(MakeEvent(Failed("a", "another note"), "host", kTime + 1)));
  const auto differs = [&](const std::function<void(EventMessage&)>& change) {
    EventMessage message = Failed("a");
    change(message);
    return EventKey(MakeEvent(message, "host", kTime)) != EventKey(event);
  };
  EXPECT_TRUE(differs([](EventMessage& m) { m.type = "Normal"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.reason = "Scheduled"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.action = "Binding"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.controller = "other"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.regarding.uid = "u"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.regarding.resource_version = "8"; }));
  EXPECT_TRUE(differs([](EventMessage& m) { m.related = ObjectReference{}; }));
}

TEST(EventSeries, WhatIsNotRepeatedIsForgotten) {
  EventSeries series(10);
  series.Add(FailedAt("once", kTime));
  series.Add(FailedAt("twice", kTime));
  series.Add(FailedAt("twice", kTime + kMinute));
  EXPECT_THAT(series.Finish(kTime + 6 * kMinute, 6 * kMinute), IsEmpty());
  EXPECT_EQ(series.size(), 2U);
  EXPECT_THAT(series.Finish(kTime + 6 * kMinute + 1, 6 * kMinute), IsEmpty());
  EXPECT_EQ(series.size(), 1U);
  const auto ended = series.Finish(kTime + 7 * kMinute + 1, 6 * kMinute);
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0]->message.regarding.name, "twice");
  EXPECT_EQ(series.size(), 0U);
  ASSERT_THAT(series.Add(FailedAt("twice", kTime + 8 * kMinute)), SizeIs(1));
  EXPECT_THAT(series.Running(), IsEmpty());
}

TEST(EventSeries, MemoryIsBounded) {
  EventSeries series(2);
  series.Add(FailedAt("a", kTime));
  series.Add(FailedAt("a", kTime + 1));
  series.Add(FailedAt("b", kTime + 2));
  const auto written = series.Add(FailedAt("c", kTime + 3));
  ASSERT_THAT(written, SizeIs(2));  // itself, and the last of the series that is forgotten
  EXPECT_EQ(written[1]->message.regarding.name, "a");
  EXPECT_EQ(series.size(), 2U);
  EXPECT_THAT(series.Add(FailedAt("d", kTime + 4)), SizeIs(1));
}

}  // namespace
}  // namespace ksched::kube
