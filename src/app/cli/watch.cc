#include "app/cli/watch.h"

#include <chrono>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/chrono.h>

#include "app/cli/live_cluster.h"
#include "app/cli/object_store.h"
#include "app/cli/progress.h"
#include "base/output_file.h"
#include "base/stop_signal.h"
#include "base/terminal.h"
#include "kube/api_requests.h"
#include "kube/change_ledger.h"
#include "kube/event_recorder.h"
#include "kube/reflector.h"

namespace ksched::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPoll{200};
// An answer waits until the cluster has been quiet for a moment, but not for ever.
constexpr milliseconds kQuiet{200}, kLongestWait{2000};
constexpr int kShareOfTime = 4;  // answers take at most one part of so many of the time

std::vector<kube::WatchRequest> AllWatches() {
  std::vector<kube::WatchRequest> requests;
  for (const kube::ListRequest& list : AllRequests()) {
    if (list.resource->plural != "controllerrevisions") requests.push_back({list.resource, "", ""});
  }
  return requests;
}

// The watched objects, with the API server at hand for what is asked of it one by one.
class WatchedSource final : public ClusterSource {
 public:
  WatchedSource(const ObjectStore& objects, const kube::Reflectors& reflectors, kube::HttpClient& client)
      : objects_(objects), reflectors_(reflectors), live_(client, nullptr) {}

  api::ClusterSnapshot Head() const {
    api::ClusterSnapshot head;
    for (const kube::ReflectorStatus& status : reflectors_.statuses()) {
      if (status.absent == kube::Absence::kNo) continue;
      head.absent.push_back(AbsentOf(*status.resource, status.absent == kube::Absence::kNotFound, status.last_error));
    }
    return head;
  }
  Result<api::ClusterSnapshot> Read(const std::vector<std::string>&, Sink& sink) override {
    objects_.Read(sink);
    return Head();
  }
  Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) override {
    return live_.Fetch(keys);
  }
  Result<std::vector<std::string>> FetchRevisions(const std::string& ns) override { return live_.FetchRevisions(ns); }
  Result<Created> DryRunCreate(const ObjectKey& key, const std::string& json) override {
    return live_.DryRunCreate(key, json);
  }

 private:
  const ObjectStore& objects_;
  const kube::Reflectors& reflectors_;
  LiveCluster live_;
};

class Watcher {
 public:
  Watcher(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
          Streams& streams)
      : options_(options),
        setup_(setup),
        input_(input),
        client_(*connection.client),
        streams_(streams),
        record_(options.record, streams.out, OutputFile::When::kGrowing) {}

  int Run() {
    if (const auto opened = OpenRecord(); !opened) return Fail(opened.error().message, kExitUsage);
    // What is wrong with the connection or the rights from the start is an error, as without --watch.
    const kube::ServerVersion version = kube::GetServerVersion(client_);
    if (!version.ok()) return Fail(version.error->message, kExitCluster);
    reflectors_->Start();
    if (!WaitForAll()) return End(kExitCluster);
    api::ClusterSnapshot head = source_->Head();
    head.server_version = version.git_version;
    if (recorder_) recorder_->Begin(head);
    int status = AnswerNow();
    if (status == kExitUsage || status == kExitCluster) return End(status);
    while (!stop_.requested()) {
      client_.Poll(kPoll);
      TellOfTrouble();
      if (auto written = KeepRecord(); !written) return Fail(written.error().message, kExitUsage);
      if (IsTime()) status = AnswerNow();
    }
    return End(status);
  }

 private:
  int Fail(const std::string& message, int status) {
    PrintErrors({message}, streams_);
    return status;
  }

  Result<void> OpenRecord() {
    if (options_.record.empty()) {
      ledger_.emplace(objects_);
    } else {
      if (auto checked = record_.Check(); !checked) return checked;
      if (auto opened = record_.Open(); !opened) return opened;
      recorder_.emplace(record_, objects_);
      ledger_.emplace(*recorder_);
    }
    const auto requests = AllWatches();
    reflectors_.emplace(client_, requests, kube::ReflectorOptions{}, *ledger_);
    source_.emplace(objects_, *reflectors_, client_);
    return {};
  }

  bool WaitForAll() {
    ProgressLine progress(streams_.err, StderrIsTerminal());
    while (!reflectors_->synced() && !stop_.requested()) {
      client_.Poll(kPoll);
      TellOfTrouble();
      kube::ListProgress now;
      now.lists = reflectors_->statuses().size();
      now.items = objects_.size();
      for (const kube::ReflectorStatus& status : reflectors_->statuses()) now.lists_done += status.synced ? 1 : 0;
      progress.Show(now);
    }
    return !stop_.requested();
  }

  // Closes the record; whoever stops us by a signal sees that.
  int End(int status) {
    if (recorder_) {
      if (auto closed = record_.Close(); !closed) return Fail(closed.error().message, kExitUsage);
      streams_.err << options_.record << ": " << recorder_->events() << " events\n";
    }
    streams_.out.flush();
    streams_.err.flush();
    stop_.Obey();
    return status;
  }

  Result<void> KeepRecord() {
    if (!recorder_) return {};
    if (recorder_->failure()) return *recorder_->failure();
    constexpr std::chrono::seconds kFlushAfter{5};
    if (SteadyClock::now() - flushed_ < kFlushAfter) return {};
    flushed_ = SteadyClock::now();
    return record_.Flush();
  }

  bool IsTime() {
    const uint64_t count = objects_.changes().count;
    const auto now = SteadyClock::now();
    if (count != seen_changes_) {
      if (seen_changes_ == 0) first_change_ = now;
      seen_changes_ = count;
      last_change_ = now;
    }
    if (count == 0 || now < not_before_) return false;
    return now - last_change_ >= kQuiet || now - first_change_ >= kLongestWait;
  }

  int AnswerNow() {
    const ObjectStore::Changes changes = objects_.TakeChanges();
    seen_changes_ = 0;
    const auto start = SteadyClock::now();
    std::ostringstream out, err;
    Streams streams{out, err, streams_.colour};
    InputOptions input = input_;
    input.cluster = &*source_;
    const int status = Answer(options_, setup_, input, nullptr, streams);
    not_before_ = SteadyClock::now() + (SteadyClock::now() - start) * (kShareOfTime - 1);
    if (out.str() == last_out_ && err.str() == last_err_) return status;
    if (answered_) SayWhatChanged(changes);
    if (err.str() != last_err_) streams_.err << err.str() << std::flush;
    if (out.str() != last_out_) {
      if (answered_) streams_.out << (options_.output == OutputFormat::kYaml ? "---\n" : "\n");
      streams_.out << out.str() << std::flush;
    }
    last_out_ = out.str();
    last_err_ = err.str();
    answered_ = true;
    return status;
  }

  void SayWhatChanged(const ObjectStore::Changes& changes) {
    std::string names;
    for (const std::string& name : changes.first) names += (names.empty() ? "" : ", ") + name;
    streams_.err << fmt::format(
        "{:%H:%M:%S} after {}{}\n", fmt::localtime(std::time(nullptr)), names,
        changes.count > changes.first.size() ? fmt::format(" and more ({} changes)", changes.count) : "");
  }

  // Says once that a kind cannot be watched, and once that it can again.
  void TellOfTrouble() {
    for (const kube::ReflectorStatus& status : reflectors_->statuses()) {
      const bool absent = status.absent != kube::Absence::kNo;
      Trouble& trouble = troubles_[status.resource];
      if (status.errors != trouble.errors && !status.watching && !absent && status.last_error) {
        trouble.errors = status.errors;
        if (!trouble.told) {
          streams_.err << "warning: " << status.resource->QualifiedName() << ": " << status.last_error->message
                       << ": trying again\n";
        }
        trouble.told = true;
      } else if (trouble.told && status.watching) {
        streams_.err << status.resource->QualifiedName() << ": watched again\n";
        trouble.told = false;
      }
    }
  }

  struct Trouble {
    uint64_t errors = 0;
    bool told = false;
  };

  const SimulateOptions& options_;
  const Setup& setup_;
  const InputOptions& input_;
  kube::HttpClient& client_;
  Streams& streams_;
  StopSignal stop_;
  OutputFile record_;
  ObjectStore objects_;
  std::optional<kube::EventRecorder> recorder_;
  std::optional<kube::ChangeLedger> ledger_;
  std::optional<kube::Reflectors> reflectors_;
  std::optional<WatchedSource> source_;
  std::map<const kube::Resource*, Trouble> troubles_;

  bool answered_ = false;
  std::string last_out_, last_err_;
  uint64_t seen_changes_ = 0;
  SteadyClock::time_point first_change_, last_change_, not_before_, flushed_;
};

}  // namespace

int WatchAnswers(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
                 Streams& streams) {
  return Watcher(options, setup, input, connection, streams).Run();
}

}  // namespace ksched::cli
