// Follows a cluster as a scheduler would, without scheduling, and answers commands on standard input with a line of
// JSON each: for watching.py, the soak test and the bench.
//
//   watch_probe [--record FILE] [--unchecked] [flags of the connection]   follows the live cluster
//   watch_probe --replay FILE                                             takes a recording, and prints the digest
//
// It remembers every version of every object, to notice what is told twice; --unchecked does not, so that its memory
// and CPU are those of the watches and the state.
//
//   synced          waits until every kind has been listed
//   stats           counters of every kind, CPU seconds and memory
//   check           lists the cluster afresh into a second state, and says where the two differ
//   digest          a hash of every object as the state has it
//   health          what is exposed of the watches, in the form of Prometheus
//   stop
#include <poll.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "app/cli/answer.h"
#include "app/cli/connection.h"
#include "app/cli/flags.h"
#include "base/cpu_time.h"
#include "base/output_file.h"
#include "kube/decode_watched.h"
#include "kube/event_recorder.h"
#include "kube/watch_metrics.h"
#include "kube/watched_cluster.h"
#include "manifest/events.h"
#include "quoted.h"
#include "state_text.h"

namespace ksched {
namespace {

constexpr size_t kNamedDifferences = 5;
constexpr std::chrono::milliseconds kPoll{20};
constexpr std::chrono::seconds kCatchUp{60};

// Nothing is scheduled here, so nobody writes.
class NoWrites final : public Binder, public Evictor, public StatusWriter {
 public:
  void Bind(const PodInfo&, const std::string&, ResultCallback done) override {
    done(Error{"the probe binds nothing"});
  }
  void Evict(std::span<const PodId>, const PodInfo&, const std::string&) override {}
  void Write(const PodInfo&, const FailureUpdate&) override {}
  void ClearNomination(const PodInfo&) override {}
};

// A state with the scheduler's queue, and the way into it.
struct Follower {
  Follower() {
    auto made = cli::MakeSetup({});
    if (!made) throw std::runtime_error(made.error().message);
    setup.emplace(std::move(*made));
    Ports ports;
    ports.binder = &writes;
    ports.evictor = &writes;
    ports.status_writer = &writes;
    auto created = Scheduler::Create({setup->configuration, setup->features}, {state, clock, setup->registry, ports});
    if (!created) throw std::runtime_error(created.error().message);
    scheduler = std::move(*created);
    handlers.emplace(*scheduler);
    feed.emplace(state, *handlers);
  }
  SystemClock clock;
  NoWrites writes;
  std::optional<cli::Setup> setup;
  ClusterState state;
  std::unique_ptr<Scheduler> scheduler;
  std::optional<EventHandlers> handlers;
  std::optional<ClusterFeed> feed;
};

// Checks that nothing is told twice: no version of an object, and nothing of one that is not there.
class OnceOnly final : public kube::ChangeSink {
 public:
  explicit OnceOnly(kube::ChangeSink& next) : next_(next) {}

  Result<void> OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) override {
    Expect(there_.insert(Name(object.resource, head.ns, head.name)).second, "added twice", object.resource, head);
    ExpectNew(object.resource, head);
    return next_.OnAdd(object, head);
  }
  Result<void> OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) override {
    Expect(there_.contains(Name(object.resource, head.ns, head.name)), "updated, not there", object.resource, head);
    ExpectNew(object.resource, head);
    return next_.OnUpdate(object, head);
  }
  void OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) override {
    Expect(there_.erase(Name(resource, ns, name)) == 1, "removed, not there", resource, {ns, name, "", ""});
    next_.OnRemove(resource, ns, name);
  }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  static std::string Name(const kube::Resource& resource, std::string_view ns, std::string_view name) {
    return fmt::format("{} {}/{}", resource.kind, ns, name);
  }
  void ExpectNew(const kube::Resource& resource, const api::ObjectHead& head) {
    const std::string version = fmt::format("{} {} {}", resource.plural, head.uid, head.resource_version);
    Expect(told_.insert(version).second, "told twice", resource, head);
  }
  void Expect(bool good, const char* fault, const kube::Resource& resource, const api::ObjectHead& head) {
    if (!good) {
      faults_.push_back(fmt::format("{}: {} uid {} version {}", fault, Name(resource, head.ns, head.name), head.uid,
                                    head.resource_version));
    }
  }

  kube::ChangeSink& next_;
  std::set<std::string> there_, told_;
  std::vector<std::string> faults_;
};

std::string List(const std::vector<std::string>& texts) {
  std::string list;
  for (size_t i = 0; i < std::min(texts.size(), kNamedDifferences); ++i) {
    list += (i == 0 ? "" : ", ") + Quoted(texts[i]);
  }
  return "[" + list + "]";
}

int64_t ResidentKib() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4;
}

class Probe {
 public:
  Probe(cli::Connection& connection, const std::string& record, bool unchecked)
      : client_(*connection.client),
        record_(record, std::cout, OutputFile::When::kGrowing),
        recorder_(record.empty() ? nullptr : std::make_unique<kube::EventRecorder>(record_, cluster_)),
        ledger_(unchecked ? sink() : once_) {
    if (recorder_) {
      if (auto opened = record_.Open(); !opened) throw std::runtime_error(opened.error().message);
    }
    kube::ReflectorOptions options;
    options.backoff.first = std::chrono::milliseconds(100);  // a storm is short
    options.backoff.cap = std::chrono::seconds(2);
    reflectors_.emplace(client_, requests_, options, ledger_);
    reflectors_->Start();
  }

  void Run() {
    std::string input;
    for (;;) {
      client_.Poll(kPoll);
      if (recorder_ && !began_ && reflectors_->synced()) {
        recorder_->Begin({});
        began_ = true;
      }
      pollfd in{0, POLLIN, 0};
      if (poll(&in, 1, 0) <= 0) continue;
      std::string line;
      if (!std::getline(std::cin, line) || line == "stop") break;
      std::cout << Answer(line) << std::endl;
    }
    if (recorder_) (void)record_.Close();
  }

 private:
  kube::ChangeSink& sink() { return recorder_ ? static_cast<kube::ChangeSink&>(*recorder_) : cluster_; }

  std::string Answer(const std::string& command) {
    if (command == "synced") return Synced();
    if (command == "stats") return Stats();
    if (command == "check") return Check();
    if (command == "digest") return "{\"digest\": " + Quoted(Digest(DescribeObjects(follower_.state))) + "}";
    if (command == "health") return Quoted(kube::WatchMetrics(reflectors_->statuses(), ledger_));
    return "{\"error\": \"unknown command\"}";
  }

  std::string Synced() {
    while (!reflectors_->synced()) client_.Poll(kPoll);
    return "{\"synced\": true}";
  }

  std::string Stats() {
    uint64_t events = 0, bookmarks = 0, lists = 0, relists = 0, watches = 0, errors = 0, refused = 0, stalls = 0;
    std::string kinds;
    for (const kube::ReflectorStatus& status : reflectors_->statuses()) {
      events += status.events;
      bookmarks += status.bookmarks;
      lists += status.lists;
      relists += status.relists;
      watches += status.watches;
      errors += status.errors;
      refused += status.refused;
      stalls += status.stalls;
      const auto counters = ledger_.counters(*status.resource);
      kinds += fmt::format("{}{}: {{\"adds\": {}, \"updates\": {}, \"removes\": {}, \"repeats\": {}, \"missed\": {}}}",
                           kinds.empty() ? "" : ", ", Quoted(status.resource->QualifiedName()), counters.adds,
                           counters.updates, counters.removes, counters.repeats, counters.missed);
    }
    return fmt::format(
        R"({{"events": {}, "bookmarks": {}, "lists": {}, "relists": {}, "watches": {}, "errors": {}, "refused": {}, )"
        R"("stalls": {}, "drops": {}, "cpuSeconds": {}, "residentKib": {}, "pods": {}, "faults": {}, "firstFaults": {}, )"
        R"("kinds": {{{}}}}})",
        events, bookmarks, lists, relists, watches, errors, refused, stalls, reflectors_->connections_dropped(),
        CpuSeconds(), ResidentKib(), follower_.state.pod_store().size(), once_.faults().size(), List(once_.faults()),
        kinds);
  }

  // Differences that stay: what a list shows, the watch shows soon.
  std::string Check() {
    const auto deadline = std::chrono::steady_clock::now() + kCatchUp;
    for (;;) {
      auto fresh = ListAfresh();
      for (int i = 0; i < 10; ++i) client_.Poll(kPoll);
      std::vector<std::string> differences = fresh ? Differences(DescribeObjects(follower_.state), *fresh)
                                                   : std::vector<std::string>{fresh.error().message};
      if (differences.empty() || std::chrono::steady_clock::now() > deadline) {
        return fmt::format("{{\"objects\": {}, \"differences\": {}, \"first\": {}}}", fresh ? fresh->size() : 0,
                           differences.size(), List(differences));
      }
    }
  }

  Result<std::map<std::string, std::string>> ListAfresh() {
    class Sink final : public kube::ListSink {
     public:
      Follower follower;
      Result<void> OnItem(const kube::ListedFrom& from, std::string_view protobuf) override {
        auto decoded = kube::Decode({from.resource(), from.version, protobuf});
        if (!decoded) return std::move(decoded).error();
        follower.feed->Put(std::move(*decoded));
        return {};
      }
      Result<void> OnDocument(const kube::ListedFrom&, const api::Document&) override { return Error{"no protobuf"}; }
      void OnRestart(const kube::ListedFrom&) override { restarted = true; }
      bool restarted = false;
    } sink;
    std::vector<kube::ListRequest> requests;
    requests.reserve(requests_.size());
    for (const kube::WatchRequest& watch : requests_) {
      requests.push_back({.resource = watch.resource, .field_selector = watch.field_selector});
    }
    for (const kube::ListResult& result : kube::ListAll(client_, requests, {}, sink, {})) {
      if (result.outcome == kube::ListResult::Outcome::kError) return result.error->ToError();
    }
    if (sink.restarted) return Error{"a list was begun anew"};
    return DescribeObjects(sink.follower.state);
  }

  kube::HttpClient& client_;
  const std::vector<kube::WatchRequest> requests_ = kube::SchedulerWatches();
  Follower follower_;
  kube::WatchedCluster cluster_{*follower_.feed};
  OutputFile record_;
  std::unique_ptr<kube::EventRecorder> recorder_;
  OnceOnly once_{sink()};
  kube::ChangeLedger ledger_;
  std::optional<kube::Reflectors> reflectors_;
  bool began_ = false;
};

int Replay(const std::string& file) {
  std::vector<std::string> errors, notices;
  RecordedEvents recorded = ReadRecording(file, errors, notices);
  for (const std::string& text : errors) std::cerr << "error: " << text << '\n';
  for (const std::string& text : notices) std::cerr << text << '\n';
  if (!errors.empty()) return 2;
  Follower follower;
  for (api::Decoded& object : recorded.objects) follower.feed->Put(std::move(object));
  for (ReadEvent& read : recorded.events) {
    TimedEvent& event = read.event;
    if (event.type == TimedEvent::Type::kDelete) {
      follower.feed->Remove(event.kind, event.ns, event.name);
    } else {
      follower.feed->Put({api::KindClass::kScheduling, "", event.kind, std::move(event.object)});
    }
  }
  std::cout << "{\"events\": " << recorded.events.size()
            << ", \"digest\": " << Quoted(Digest(DescribeObjects(follower.state))) << "}" << std::endl;
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  cxxopts::Options options("watch_probe");
  options.add_options()("record", "", cxxopts::value<std::string>())("replay", "", cxxopts::value<std::string>())(
      "unchecked", "")("h,help", "");
  cli::AddConnectionFlags(options);
  std::string record, replay;
  bool unchecked = false;
  kube::ClientOptions client;
  const auto read = [&](const cxxopts::ParseResult& parsed) -> Result<void> {
    record = cli::ValueOr(parsed, "record", record);
    replay = cli::ValueOr(parsed, "replay", replay);
    unchecked = parsed.count("unchecked") != 0;
    client = cli::ReadConnectionFlags(parsed);
    return {};
  };
  if (auto parsed = cli::ParseFlags(options, arguments, read); !parsed)
    throw std::runtime_error(parsed.error().message);
  if (!replay.empty()) return Replay(replay);
  auto connection = cli::Connect(client, /*stdin_in_use=*/true);
  if (!connection) throw std::runtime_error(connection.error().message);
  Probe(*connection, record, unchecked).Run();
  return 0;
}

}  // namespace
}  // namespace ksched

int main(int argc, char** argv) {
  try {
    return ksched::Main({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "error: " << failure.what() << '\n';
    return 2;
  }
}
