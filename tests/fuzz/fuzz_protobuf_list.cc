// Any bytes are taken apart as a list in protobuf, or are refused: the same whatever pieces they come in. Each item is
// decoded or refused, and what is decoded is written as JSON that reads back to the same. The first byte of the input
// says which kind the items are, the second how large the pieces are.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/json_writer.h"
#include "api/list_reader.h"
#include "api/objects.h"

namespace {

using ksched::Result;
using ksched::api::Decoded;
using ksched::api::Problems;

struct Kind {
  const char *api_version, *kind;
};
constexpr Kind kKinds[] = {
    {"v1", "Pod"},
    {"v1", "Node"},
    {"apps/v1", "StatefulSet"},
    {"batch/v1", "CronJob"},
    {"v1", "PersistentVolume"},
    {"policy/v1", "PodDisruptionBudget"},
    {"storage.k8s.io/v1", "VolumeAttachment"},
    {"v1", "LimitRange"},
};

struct Read {
  std::vector<std::string> items;
  bool good = false;
  bool operator==(const Read&) const = default;
};

Read ReadList(std::string_view body, size_t piece) {
  Read read;
  const auto reader = ksched::api::MakeProtobufListReader([&](std::string_view item) {
    read.items.emplace_back(item);
    return Result<void>();
  });
  for (size_t at = 0; at < body.size(); at += piece) {
    const std::string chunk(body.substr(at, piece));  // of its own: nothing may be read behind it
    const Result<void> fed = reader->Feed(chunk);
    if (!fed && fed.error().message.empty()) std::abort();
    if (!fed) return read;
  }
  const auto meta = reader->Finish();
  if (!meta && meta.error().message.empty()) std::abort();
  read.good = meta.ok();
  return read;
}

std::string Written(const Decoded& decoded) {
  std::string json;
  if (!ksched::api::AppendJson(decoded, json)) std::abort();
  return json;
}

void Decode(const Kind& kind, const std::string& item) {
  Decoded decoded;
  Problems problems;
  const bool good = ksched::api::DecodeProtobuf(kind.api_version, kind.kind, item, "fuzz", decoded, problems);
  if (good != problems.empty()) std::abort();
  if (!good) return;
  const std::string json = Written(decoded);
  Problems ignored;  // keys that were no UTF-8 may have become one and the same
  ksched::api::ReadDocumentsFromText(
      json, "json",
      [&](const ksched::api::Document& document) {
        Decoded again;
        const bool read = ksched::api::DecodeObject(document, again, ignored, ksched::api::ValidationMode::kStored);
        if (read && Written(again) != json) std::abort();
      },
      ignored);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const Kind& kind = kKinds[data[0] % std::size(kKinds)];
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Read whole = ReadList(body, body.size() + 1);
  if (ReadList(body, size_t{data[1]} + 1) != whole) std::abort();
  for (const std::string& item : whole.items) Decode(kind, item);
  Decode(kind, std::string(body));
  return 0;
}
