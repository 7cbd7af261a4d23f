#include "api/watch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/message_test_util.h"

namespace ksched::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Outcome {
  std::vector<std::string> events;
  std::string error;
  bool complete = false;
  bool operator==(const Outcome&) const = default;
};

std::string Described(const WatchEvent& event) {
  std::string text(event.type);
  if (!event.status.empty()) return text + " " + std::to_string(event.status.size());
  text += " " + std::string(event.api_version) + " " + std::string(event.kind) + " " +
          std::string(event.resource_version) + (event.initial_events_end ? " end" : "");
  if (event.document != nullptr) return text + " json";
  return text + " " + std::to_string(event.protobuf.size());
}

Outcome Drive(std::unique_ptr<WatchReader> (*make)(WatchVisitor), std::string_view body, size_t piece) {
  Outcome outcome;
  const auto reader = make([&](const WatchEvent& event) -> Result<void> {
    outcome.events.push_back(Described(event));
    if (event.type == "STOP") return Error{"enough"};
    return {};
  });
  for (size_t at = 0; at < body.size(); at += piece) {
    const std::string chunk(body.substr(at, piece));  // of its own: nothing may be read behind it
    if (const Result<void> fed = reader->Feed(chunk); !fed) {
      outcome.error = fed.error().message;
      return outcome;
    }
  }
  outcome.complete = reader->complete();
  return outcome;
}

std::unique_ptr<WatchReader> MakeJson(WatchVisitor visit) { return MakeJsonWatchReader(std::move(visit), "watch"); }

Outcome ReadProtobuf(std::string_view body, size_t piece = SIZE_MAX / 2) {
  return Drive(MakeProtobufWatchReader, body, piece);
}
Outcome ReadJson(std::string_view body, size_t piece = SIZE_MAX / 2) { return Drive(MakeJson, body, piece); }

std::string Framed(const std::string& message) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(message.size() >> shift & 0xFF);
  return frame + message;
}

std::string EventOf(std::string_view type, const std::string& object) {
  return Framed(MessageBuilder().Bytes(1, type).Bytes(2, MessageBuilder().Bytes(1, object)).Done());
}

std::string PodOf(std::string_view name, std::string_view version) {
  return Envelope("Pod", MessageBuilder().Bytes(1, MetaMessage(name).Bytes(6, version)).Done());
}

std::string EndBookmark(std::string_view value) {
  return Envelope(
      "Pod",
      MessageBuilder()
          .Bytes(
              1,
              MessageBuilder().Bytes(6, "9").Entry(12, "k8s.io/initial-events-end", value).Entry(12, "other", "true"))
          .Done());
}

TEST(ProtobufWatch, PiecesOfAnySize) {
  const std::string body = EventOf("ADDED", PodOf("a", "7")) + EventOf("MODIFIED", PodOf("bb", "8")) +
                           EventOf("BOOKMARK", EndBookmark("true")) + EventOf("BOOKMARK", EndBookmark("false")) +
                           EventOf("ERROR", Envelope("Status", "xyz")) + EventOf("DELETED", PodOf("a", "10"));
  for (size_t piece = 1; piece <= body.size(); ++piece) {
    const Outcome outcome = ReadProtobuf(body, piece);
    ASSERT_EQ(outcome.error, "") << piece;
    ASSERT_TRUE(outcome.complete);
    ASSERT_THAT(outcome.events, ElementsAre("ADDED v1 Pod 7 14", "MODIFIED v1 Pod 8 15", "BOOKMARK v1 Pod 9 end 55",
                                            "BOOKMARK v1 Pod 9 56", "ERROR 27", "DELETED v1 Pod 10 15"));
  }
}

TEST(ProtobufWatch, EventsComeAsSoonAsTheyAreThere) {
  const std::string body = EventOf("ADDED", PodOf("a", "7")) + EventOf("ADDED", PodOf("b", "8"));
  size_t events = 0;
  const auto reader = MakeProtobufWatchReader([&](const WatchEvent&) {
    ++events;
    return Result<void>();
  });
  for (size_t at = 0; at < body.size(); ++at) {
    ASSERT_TRUE(reader->Feed(std::string_view(body).substr(at, 1)));
    ASSERT_EQ(events, (at + 1) / (body.size() / 2)) << at;
    ASSERT_EQ(reader->complete(), (at + 1) % (body.size() / 2) == 0) << at;
  }
}

struct Refused {
  std::string name, body, error;
};

class RefusedWatch : public testing::TestWithParam<Refused> {};

TEST_P(RefusedWatch, WhateverThePieces) {
  const auto read = GetParam().body.starts_with("json:") ? ReadJson : ReadProtobuf;
  const std::string body = GetParam().body.starts_with("json:") ? GetParam().body.substr(5) : GetParam().body;
  const Outcome whole = read(body, SIZE_MAX / 2);
  EXPECT_THAT(whole.error, HasSubstr(GetParam().error));
  for (size_t piece = 1; piece < body.size(); ++piece) EXPECT_EQ(read(body, piece), whole) << piece;
}

INSTANTIATE_TEST_SUITE_P(
    Watch, RefusedWatch,
    testing::Values(
        Refused{"too_long", std::string("\x08\x00\x00\x01", 4), "larger than 128 MiB"},
        Refused{"far_too_long", "\xff\xff\xff\xff", "larger than 128 MiB"},
        Refused{"empty_event", std::string(4, '\0'), "no type"},
        Refused{"no_envelope", EventOf("ADDED", "{\"kind\":\"Pod\"}"), "no object in protobuf"},
        Refused{"no_object", Framed(MessageBuilder().Bytes(1, "ADDED").Done()), "no object in protobuf"},
        Refused{"broken_event",
                Framed("\x0a\x09"
                       "AD"),
                "malformed protobuf"},
        Refused{"broken_envelope", EventOf("ADDED", std::string("k8s\0\x12\x7f", 6)), "malformed protobuf"},
        Refused{"broken_metadata", EventOf("ADDED", Envelope("Pod", "\x0a\x02\x32\x09")), "malformed protobuf"},
        Refused{"packed", EventOf("ADDED", std::string("k8s\0", 4) + MessageBuilder().Bytes(3, "gzip").Done()), "gzip"},
        Refused{"stopped", EventOf("STOP", PodOf("a", "7")) + EventOf("ADDED", PodOf("b", "8")), "enough"},
        Refused{"json_text", "json:hello", "an event is no object"},
        Refused{"json_string", "json:\"{}\"", "an event is no object"},
        Refused{"json_array", "json:[{}]", "an event is no object"},
        Refused{"json_no_type", "json:{\"object\":{}}", "no type"},
        Refused{"json_no_object", "json:{\"type\":\"ADDED\",\"object\":[]}", "no object"},
        Refused{"json_broken", "json:{\"type\":\"ADDED\",,}", "malformed JSON"},
        Refused{"json_twice", "json:{\"type\":\"ADDED\",\"type\":\"ADDED\"}", "malformed JSON"},
        Refused{"json_no_utf8", "json:{\"type\":\"\xff\"}", "UTF-8"}),
    [](const auto& info) { return info.param.name; });

TEST(JsonWatch, PiecesOfAnySize) {
  const std::string body =
      " {\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"7\","
      "\"name\":\"a}\\\"}{\"}}}\n{\"type\":\"MODIFIED\",\"object\":{\"metadata\":null}}{\"type\":\"BOOKMARK\","
      "\"object\":"
      "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\",\"annotations\":"
      "{\"k8s.io/initial-events-end\":\"true\"}}}}\r\n\t{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"}} \n";
  for (size_t piece = 1; piece <= body.size(); ++piece) {
    const Outcome outcome = ReadJson(body, piece);
    ASSERT_EQ(outcome.error, "") << piece;
    ASSERT_TRUE(outcome.complete);
    ASSERT_THAT(outcome.events,
                ElementsAre("ADDED v1 Pod 7 json", "MODIFIED    json", "BOOKMARK v1 Pod 9 end json", "ERROR 17"));
  }
  EXPECT_FALSE(ReadJson(std::string_view(body).substr(0, 30)).complete);
  EXPECT_THAT(ReadJson(std::string_view(body).substr(0, 30)).events, IsEmpty());
}

}  // namespace
}  // namespace ksched::api
