#include "app/cli/watch.h"

#include <chrono>
#include <optional>
#include <sstream>

#include "app/cli/answer_printer.h"
#include "app/cli/answer_times.h"
#include "app/cli/object_store.h"
#include "app/cli/progress.h"
#include "app/cli/record_target.h"
#include "app/cli/trouble_teller.h"
#include "app/cli/watched_source.h"
#include "base/output_file.h"
#include "base/stop_signal.h"
#include "base/terminal.h"
#include "kube/api_requests.h"
#include "kube/change_ledger.h"
#include "kube/event_recorder.h"
#include "kube/reflector.h"
#include "kube/sigpipe_guard.h"

namespace ksched::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{200};
constexpr std::chrono::seconds kPatience{10}, kStillPatient{60};  // with lists that do not come

std::vector<kube::WatchRequest> AllWatches() {
  std::vector<kube::WatchRequest> requests;
  for (const kube::ListRequest& list : AllRequests()) {
    if (list.resource->plural != "controllerrevisions") requests.push_back({list.resource, "", ""});
  }
  return requests;
}

class Watcher {
 public:
  Watcher(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
          const std::function<void()>& before_first, Streams& streams)
      : options_(options),
        setup_(setup),
        input_(input),
        client_(*connection.client),
        before_first_(before_first),
        streams_(streams),
        record_(options.record, streams.out, OutputFile::When::kGrowing),
        troubles_(streams.err),
        printer_(streams, options.output) {
    client_.StopWhen([this] { return stop_.requested(); });
  }
  ~Watcher() { client_.StopWhen({}); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int Run() {
    if (const auto good = CheckRecord(); !good) return Fail(good.error().message, kExitUsage);
    // What is wrong with the connection or the rights from the start is an error, as without --watch. What was recorded
    // before stays until it is known that there is something to record.
    const kube::ServerVersion version = kube::GetServerVersion(client_);
    if (!version.ok()) return Fail(version.error->message, kExitCluster);
    if (const auto opened = OpenRecord(); !opened) return Fail(opened.error().message, kExitUsage);
    reflectors_->Start();
    if (!WaitForAll()) return End(kExitCluster);
    if (const auto begun = BeginRecord(version); !begun) return Fail(begun.error().message, kExitUsage);
    return KeepAnswering();
  }

 private:
  // Unless it is the signal that made it fail.
  int Fail(const std::string& message, int status) {
    if (stop_.requested()) return End(status);
    PrintErrors({message}, streams_);
    return status;
  }

  Result<void> CheckRecord() const {
    if (options_.record.empty()) return {};
    if (auto checked = CheckRecordTarget(options_); !checked) return checked;
    return record_.Check();
  }

  Result<void> OpenRecord() {
    if (options_.record.empty()) {
      ledger_.emplace(objects_);
    } else {
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
    auto tell_at = SteadyClock::now() + kPatience;
    return client_.PollUntil([&] {
      (void)troubles_.Tell(reflectors_->statuses());  // there is no answer yet that could be another
      if (reflectors_->synced()) return true;
      if (const auto now = SteadyClock::now(); now >= tell_at) {
        tell_at = now + kStillPatient;
        progress.Hide();
        troubles_.TellMissing(reflectors_->statuses());
      }
      kube::ListProgress now;
      now.lists = reflectors_->statuses().size();
      now.items = objects_.size();
      for (const kube::ReflectorStatus& status : reflectors_->statuses()) now.lists_done += status.synced ? 1 : 0;
      progress.Show(now);
      return false;
    });
  }

  // From here on the file is a recording, whatever happens.
  Result<void> BeginRecord(const kube::ServerVersion& version) {
    if (!recorder_) return {};
    api::ClusterSnapshot head = source_->Head();
    head.server_version = version.git_version;
    recorder_->Begin(head);
    record_begun_ = true;
    flushed_ = SteadyClock::now();
    if (recorder_->failure()) return *recorder_->failure();
    return record_.Flush();
  }

  Result<void> KeepRecord() {
    if (!recorder_) return {};
    if (recorder_->failure()) return *recorder_->failure();
    constexpr std::chrono::seconds kFlushAfter{5};
    if (SteadyClock::now() - flushed_ < kFlushAfter) return {};
    flushed_ = SteadyClock::now();
    return record_.Flush();
  }

  int KeepAnswering() {
    int status = AnswerNow(before_first_);
    if (status == kExitUsage || status == kExitCluster) return End(status);
    while (!stop_.requested() && streams_.out.good()) {
      client_.Poll(kPoll);
      for (std::string& change : troubles_.Tell(reflectors_->statuses())) objects_.Note(std::move(change));
      if (auto written = KeepRecord(); !written) return Fail(written.error().message, kExitUsage);
      if (times_.IsTime(objects_.changes().count, SteadyClock::now())) status = AnswerNow(nullptr);
    }
    return End(status);  // whoever called says it if nothing can be written
  }

  int AnswerNow(const std::function<void()>& before_run) {
    const ObjectStore::Changes changes = objects_.TakeChanges();
    const auto start = SteadyClock::now();
    std::ostringstream out, err;
    Streams streams{out, err, streams_.colour};
    InputOptions input = input_;
    input.cluster = &*source_;
    const int status = Answer(options_, setup_, input, before_run, streams);
    times_.Answered(start, SteadyClock::now(), status == kExitCluster);
    // What failed because it was to stop is no answer.
    if (!stop_.requested()) printer_.Print(status, out.str(), err.str(), changes);
    return status;
  }

  // Closes the record; whoever stops us by a signal sees that.
  int End(int status) {
    if (recorder_) {
      if (auto closed = record_.Close(); !closed) {
        PrintErrors({closed.error().message}, streams_);
        status = kExitUsage;
      } else if (!record_begun_) {
        streams_.err << "warning: " << options_.record
                     << ": this is no recording that could be used: the cluster had not been read yet\n";
      } else {
        streams_.err << options_.record << ": " << recorder_->events() << " events\n";
      }
    }
    streams_.out.flush();
    streams_.err.flush();
    stop_.Obey();
    return status;
  }

  const SimulateOptions& options_;
  const Setup& setup_;
  const InputOptions& input_;
  kube::HttpClient& client_;
  const std::function<void()>& before_first_;
  Streams& streams_;
  const kube::SigpipeGuard output_;  // nobody may be there to read it: that ends us in good order
  StopSignal stop_;
  OutputFile record_;
  bool record_begun_ = false;
  ObjectStore objects_;
  std::optional<kube::EventRecorder> recorder_;
  std::optional<kube::ChangeLedger> ledger_;
  std::optional<kube::Reflectors> reflectors_;
  std::optional<WatchedSource> source_;
  TroubleTeller troubles_;
  AnswerTimes times_;
  AnswerPrinter printer_;
  SteadyClock::time_point flushed_;
};

}  // namespace

int WatchAnswers(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
                 const std::function<void()>& before_first, Streams& streams) {
  return Watcher(options, setup, input, connection, before_first, streams).Run();
}

}  // namespace ksched::cli
