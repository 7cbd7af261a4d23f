// Watches everything that kube-scheduler watches with the real reflectors, and prints what they say: for tests on a
// real API server, and to measure.
//
//   watch_probe SECONDS [pages] [json] [quick]    of the kubeconfig in KUBECONFIG; quick: silence is noticed in seconds
//
// A line about every second: "OBJECTS objects, EVENTS events, ...". At the end one line for each resource.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "base/cpu_time.h"
#include "kube/client_config.h"
#include "kube/reflector.h"

namespace ksched::kube {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string Text(protozero::pbf_reader message, std::string_view separator) {
  std::string name, ns;
  while (message.next()) {
    if (message.tag() == 1) {
      name = message.get_string();
    } else if (message.tag() == 3) {
      ns = message.get_string();
    } else {
      message.skip();
    }
  }
  return ns + std::string(separator) + name;
}

std::string KeyOf(const WatchedObject& object) {
  if (object.document != nullptr) {
    const auto& metadata = object.document->root()["metadata"];
    const std::string ns = metadata.HasMember("namespace") ? metadata["namespace"].GetString() : "";
    return ns + "/" + metadata["name"].GetString();
  }
  protozero::pbf_reader reader(object.protobuf.data(), object.protobuf.size());
  return reader.next(1) ? Text(reader.get_message(), "/") : "?";
}

class Names final : public WatchSink {
 public:
  void OnListBegin(const Resource& resource) override { lists_[resource.plural] = {}; }
  Result<void> OnListed(const WatchedObject& object) override {
    lists_[object.resource.plural].insert(KeyOf(object));
    return {};
  }
  void OnListEnd(const Resource& resource) override {
    names_[resource.plural] = lists_[resource.plural];
    lists_.erase(resource.plural);
  }
  Result<void> OnEvent(WatchEventType type, const WatchedObject& object) override {
    const auto list = lists_.find(object.resource.plural);
    std::set<std::string>& names = list != lists_.end() ? list->second : names_[object.resource.plural];
    if (type == WatchEventType::kDeleted) {
      names.erase(KeyOf(object));
    } else {
      names.insert(KeyOf(object));
    }
    return {};
  }
  size_t count(std::string_view plural) const {
    const auto found = names_.find(plural);
    return found == names_.end() ? 0 : found->second.size();
  }

 private:
  std::map<std::string_view, std::set<std::string>> names_, lists_;
};

void PrintSum(const Reflectors& reflectors, const Names& names, const HttpClient& client) {
  size_t objects = 0, watching = 0;
  uint64_t events = 0, bookmarks = 0, relists = 0, errors = 0;
  for (const ReflectorStatus& status : reflectors.statuses()) {
    objects += names.count(status.resource->plural);
    watching += status.watching ? 1 : 0;
    events += status.events;
    bookmarks += status.bookmarks;
    relists += status.relists;
    errors += status.errors;
  }
  fmt::print(
      "{} objects, {} events, {} bookmarks, {} relists, {} errors, {} watching, synced {}, {} connections, "
      "{} dropped, cpu {:.3f}\n",
      objects, events, bookmarks, relists, errors, watching, reflectors.synced(), client.counters().connections,
      reflectors.connections_dropped(), CpuSeconds());
  std::fflush(stdout);
}

void PrintEach(const Reflectors& reflectors, const Names& names) {
  for (const ReflectorStatus& status : reflectors.statuses()) {
    fmt::print(
        "{}: {} objects, {} listed, {} events, {} bookmarks, {} lists, {} relists, {} watches, {} stalls, {} errors, "
        "absent {}, version {} {}{}\n",
        status.resource->plural, names.count(status.resource->plural), status.listed, status.events, status.bookmarks,
        status.lists, status.relists, status.watches, status.stalls, status.errors, static_cast<int>(status.absent),
        status.version, status.resource_version, status.last_error ? ": " + status.last_error->message : "");
  }
}

int Run(int seconds, const std::set<std::string_view>& words) {
  auto config = LoadClientConfig({}, Environment::OfProcess());
  if (!config) return fmt::print(stderr, "error: {}\n", config.error().message), 1;
  auto client = HttpClient::Create(*std::move(config), {});
  if (!client) return fmt::print(stderr, "error: {}\n", client.error().message), 1;
  ReflectorOptions options;
  options.streaming = !words.contains("pages");
  options.json = words.contains("json");
  options.seed = static_cast<uint64_t>(SteadyClock::now().time_since_epoch().count());
  if (words.contains("quick")) {
    options.probe.silence = std::chrono::seconds(2);
    options.probe.timeout = std::chrono::seconds(1);
  }
  std::vector<WatchRequest> requests;
  for (const Resource& resource : AllResources()) {
    if (!resource.for_scheduler) continue;
    const bool pods = resource.plural == "pods";
    requests.push_back({&resource, "", pods ? "status.phase!=Succeeded,status.phase!=Failed" : ""});
  }
  Names names;
  Reflectors reflectors(**client, requests, options, names);
  reflectors.Start();
  const auto begin = SteadyClock::now();
  int said = 0;
  while (said < seconds) {
    (*client)->Poll(std::chrono::milliseconds(1000));
    if (SteadyClock::now() - begin < std::chrono::seconds(said + 1)) continue;
    ++said;
    PrintSum(reflectors, names, **client);
  }
  PrintEach(reflectors, names);
  return 0;
}

}  // namespace
}  // namespace ksched::kube

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s SECONDS [pages] [json] [quick]\n", argv[0]), 2;
  return ksched::kube::Run(std::atoi(argv[1]), {argv + 2, argv + argc});
}
