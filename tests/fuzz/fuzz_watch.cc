// Any bytes are taken apart as the stream of a watch, in protobuf or JSON, or are refused: the same whatever pieces
// they come in. The first byte of the input says which of the two, the second how large the pieces are.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_values.h"
#include "api/watch_reader.h"
#include "kube/api_error.h"

namespace {

using ksched::Result;
using ksched::api::WatchEvent;

struct Read {
  std::vector<std::string> events;
  bool good = true, complete = false;
  bool operator==(const Read&) const = default;
};

std::string Copied(const WatchEvent& event) {
  std::string copy;
  for (const std::string_view part :
       {event.type, event.api_version, event.kind, event.protobuf, event.resource_version, event.status}) {
    copy.append(part).append("|");
  }
  if (event.document != nullptr) copy += ksched::api::CanonicalJson(event.document->root());
  if (event.type == "ERROR") (void)ksched::kube::ParseStatusBody(event.status);
  return copy + (event.initial_events_end ? "end" : "");
}

Read ReadStream(bool json, std::string_view body, size_t piece) {
  Read read;
  const auto visit = [&](const WatchEvent& event) {
    if (event.type.empty()) std::abort();
    read.events.push_back(Copied(event));
    return Result<void>();
  };
  const auto reader =
      json ? ksched::api::MakeJsonWatchReader(visit, "fuzz") : ksched::api::MakeProtobufWatchReader(visit);
  for (size_t at = 0; at < body.size(); at += piece) {
    const std::string chunk(body.substr(at, piece));  // of its own: nothing may be read behind it
    const Result<void> fed = reader->Feed(chunk);
    if (!fed && fed.error().message.empty()) std::abort();
    read.good = fed.ok();
    if (!read.good) return read;
  }
  read.complete = reader->complete();
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const bool json = data[0] % 2 != 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (ReadStream(json, body, size_t{data[1]} + 1) != ReadStream(json, body, body.size() + 1)) std::abort();
  return 0;
}
