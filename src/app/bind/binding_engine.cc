#include "app/bind/binding_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "config/go_text.h"

namespace ksched::bind {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{60};  // with lists that do not come
constexpr seconds kDrainTime{10};
constexpr milliseconds kLongestPoll{200};
constexpr int kMaxTries = 3;

daemon::LiveEngineOptions LiveOptions(const BindOptions& options, Teller& teller) {
  daemon::LiveEngineOptions live;
  live.seed = options.seed.value_or(std::random_device()());
  live.failed = [&teller](const std::string& text) { teller.Warn(text); };
  live.dry_run = options.dry_run == DryRun::kServer;
  return live;
}

}  // namespace

BindingEngine::BindingEngine(const BindOptions& options, const cli::Setup& setup, kube::HttpClient& client,
                             const StopSignal& stop, std::vector<Target>& targets, Teller& teller,
                             cli::Streams& streams)
    : options_(options),
      client_(client),
      stop_(stop),
      targets_(targets),
      teller_(teller),
      setup_(setup),
      engine_(setup, client, LiveOptions(options, teller)),
      quiet_(options.preempt && !dry() ? &engine_.pods() : nullptr, dry() ? nullptr : &engine_.pods()),
      binder_(client, MakeWrite(),
              [this](const PodInfo& pod, api::Decoded&& node) { return CheckNode(pod, std::move(node)); }),
      evictions_(engine_.writer(), client.timers(), engine_.state(),
                 {.progress = [this](const std::string& line) { teller_.Progress(line); },
                  .failed =
                      [this](const std::string& uid, const std::string& why) {
                        if (Target* target = Find(uid)) NotBound(*target, why);
                      }}),
      troubles_(streams.err) {
  for (Target& target : targets_) {
    if (!target.decided()) pending_[target.uid] = &target;
  }
}

kube::CheckedBinder::Write BindingEngine::MakeWrite() {
  if (options_.dry_run == DryRun::kClient) return {};
  return [this](const kube::PodName& pod, const std::string& node, kube::PodWriter::Done done) {
    // Of a dry run nothing is to be found out afterwards.
    if (dry()) return engine_.writer().Bind(pod, node, std::move(done));
    engine_.bindings().Bind(pod, node, std::move(done));
  };
}

Ports BindingEngine::MakePorts() {
  Ports ports;
  ports.binder = &binder_;
  ports.status_writer = &quiet_;
  ports.event_sink = &quiet_;
  if (options_.preempt && !dry()) ports.evictor = &evictions_;
  if (!dry()) ports.volume_writer = &engine_.volumes();
  return ports;
}

Result<void> BindingEngine::Create() {
  SchedulerOptions options{.configuration = setup_.configuration, .features = setup_.features};
  options.only_node = options_.node;
  options.force_node = options_.force_node;
  if (auto created = engine_.Create(options, MakePorts()); !created) return created;
  evictions_.set_scheduler(scheduler());
  scheduler().HandleOnly([this](const PodInfo& pod) { return pending_.contains(pod.uid()); });
  scheduler().OnBindingEnded([this](const PodInfo& pod, const CycleOutcome& outcome) { BindingEnded(pod, outcome); });
  return {};
}

Result<void> BindingEngine::WaitForCluster() {
  engine_.Start();
  const auto patience = SteadyClock::now() + kPatience;
  while (!engine_.reflectors().synced() && !stop_.requested()) {
    client_.Poll(kLongestPoll);
    troubles_.Tell(engine_.reflectors().statuses());
    if (SteadyClock::now() < patience) continue;
    for (const kube::ReflectorStatus& status : engine_.reflectors().statuses()) {
      if (!status.synced && status.last_error) return status.last_error->ToError();
    }
  }
  for (const kube::ReflectorStatus& status : engine_.reflectors().statuses()) {
    if (status.absent == kube::Absence::kNo || !status.last_error) continue;
    const std::string_view kind = status.resource->kind;
    if (kind == "Node" || kind == "Pod") return status.last_error->ToError();
    if (status.absent == kube::Absence::kForbidden) {
      teller_.Warn(fmt::format("{}: they count as none", status.last_error->message));
    }
  }
  engine_.state().TakeSnapshot();
  return {};
}

void BindingEngine::Run() {
  if (options_.timeout.count() > 0) end_ = SteadyClock::now() + options_.timeout;
  LookAtTargets();
  while (!pending_.empty() && over_.empty()) {
    RunCycles();
    Turn();
    if (stop_.requested()) over_ = "it was interrupted before it was bound";
    if (end_ && SteadyClock::now() >= *end_) {
      const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(options_.timeout).count();
      over_ = fmt::format("it was not bound within {}", config::FormatDuration(time));
    }
  }
  if (!pending_.empty()) EndInTime();
  Drain();
}

void BindingEngine::Turn() {
  const milliseconds due = engine_.UntilSomethingIsDue(/*cycles=*/over_.empty());
  client_.Poll(std::min(due, kLongestPoll));
  engine_.Tick();
  evictions_.Look();
  LookAtTargets();
  DropDecided();
  troubles_.Tell(engine_.reflectors().statuses());
}

void BindingEngine::RunCycles() {
  while (over_.empty()) {
    const Scheduler::Step step = scheduler().ScheduleOne();
    if (step == Scheduler::Step::kNothing) return;
    if (step == Scheduler::Step::kCycle) AfterCycle(scheduler().record());
    DropDecided();
  }
}

// What became of a pod's cycle, unless it is on its way to its node.
void BindingEngine::AfterCycle(const CycleRecord& record) {
  const PodInfo& pod = engine_.state().pod_store().Get(record.pod);
  Target* target = Find(pod.uid());
  if (target == nullptr) return;
  if (record.result == CycleResult::kBinding || record.result == CycleResult::kScheduled) {
    ++target->tries;
    if (options_.force_node && !record.violations.empty()) {
      teller_.Warn(fmt::format("pod {}: node {} does not pass, and it is bound there all the same: {}", target->Key(),
                               options_.node, Violations(record.violations)));
    }
    return;
  }
  if (!record.victims.empty() && !record.nominated_node.empty()) return NeedsVictims(record, *target);
  NotBound(*target, WhyNot(record));
}

void BindingEngine::NeedsVictims(const CycleRecord& record, Target& target) {
  for (const PodId id : record.victims) {
    std::string victim = Describe(id);
    if (std::ranges::find(target.victims, victim) == target.victims.end()) target.victims.push_back(std::move(victim));
  }
  if (!options_.preempt) {
    return NotBound(target, fmt::format("it fits only without less important pods (--preempt evicts them): on node "
                                        "{} without {}",
                                        record.nominated_node, fmt::join(target.victims, ", ")));
  }
  if (dry()) return Bound(target, record.nominated_node);
  // All of them leave already: nobody was asked to evict them.
  const PodInfo& pod = engine_.state().pod_store().Get(record.pod);
  if (!evictions_.IsPreempting(pod)) evictions_.Evict(record.victims, pod, record.nominated_node);
}

std::string BindingEngine::Describe(PodId victim) {
  const PodInfo& pod = engine_.state().pod_store().Get(victim);
  return fmt::format("{} (priority {}{})", pod.Key(), pod.priority(), pod.deleting() ? ", leaving already" : "");
}

std::string BindingEngine::WhyNot(const CycleRecord& record) const {
  if (options_.node.empty() || record.violations.empty()) return record.message;
  return fmt::format("node {} does not pass: {} (--force-node binds all the same)", options_.node,
                     Violations(record.violations));
}

// "Insufficient cpu (NodeResourcesFit); ..."
std::string BindingEngine::Violations(const std::vector<Status>& statuses) const {
  std::vector<std::string> texts;
  const Scheduler& of = const_cast<daemon::LiveEngine&>(engine_).scheduler();
  for (const Status& status : statuses) {
    std::string text = status.Message(of.reasons());
    if (status.plugin() != kNoPlugin) text += fmt::format(" ({})", setup_.registry[status.plugin()].name);
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Right before the binding: the node as it is now joins the state, and the filters look at it once more.
Result<void> BindingEngine::CheckNode(const PodInfo& pod, api::Decoded&& node) {
  if (!over_.empty()) return Error{over_};
  engine_.feed().Put(std::move(node));
  if (options_.force_node) return {};
  const std::string name = pod.node_name();
  const auto violations = scheduler().ViolationsOfAssumed(engine_.state().pod_store().Get(pod.id));
  if (violations.empty()) return {};
  return Error{fmt::format("node {} does not pass any more: {}", name, Violations(violations))};
}

void BindingEngine::BindingEnded(const PodInfo& pod, const CycleOutcome& outcome) {
  Target* target = Find(pod.uid());
  if (target == nullptr) return;
  if (outcome.result == CycleResult::kScheduled) return Bound(*target, pod.node_name());
  const kube::CheckedBinder::Refusal* refusal = binder_.refusal(pod.uid());
  const std::string why = refusal == nullptr ? outcome.message : refusal->why;
  const bool again = refusal != nullptr && refusal->node_is_to_blame && options_.node.empty() && over_.empty() &&
                     target->tries < kMaxTries;
  if (!again) return NotBound(*target, why);
  teller_.Progress(fmt::format("pod {}: {}: looking for another node", target->Key(), why));
}

// Pods that come to another end than through their cycle.
void BindingEngine::LookAtTargets() {
  const PodStore& store = engine_.state().pod_store();
  for (Target& target : targets_) {
    if (target.decided()) continue;
    const PodInfo* pod = store.Find(target.ns, target.name);
    if (pod == nullptr || pod->uid() != target.uid) {
      NotBound(target, "it is gone");
      continue;
    }
    if (scheduler().IsBinding(pod->id)) continue;
    if (!pod->node_name().empty()) {
      NotBound(target, fmt::format("it is bound to node {} already", pod->node_name()));
    } else if (pod->deleting()) {
      NotBound(target, "it is being deleted");
    } else if (scheduler().queue().Gated(pod->id) && !evictions_.IsPreempting(*pod)) {
      NotBound(target, "it is held back, by its scheduling gates or by a plugin");
    }
  }
}

// Time is up, or somebody has interrupted: what is on its way is brought to its end, nothing else is begun.
void BindingEngine::EndInTime() {
  const PodStore& store = engine_.state().pod_store();
  for (Target& target : targets_) {
    if (target.decided()) continue;
    if (const std::string waits_for = evictions_.WaitsFor(target.uid); !waits_for.empty()) {
      evictions_.GiveUp(target.uid);
      NotBound(target, fmt::format("{}: it waits for {}", over_, waits_for));
      continue;
    }
    const PodInfo* pod = store.Find(target.ns, target.name);
    if (pod != nullptr && scheduler().IsBinding(pod->id)) engine_.volumes().Cancel(*pod);
  }
  const auto end = SteadyClock::now() + kDrainTime;
  while (scheduler().num_binding() > 0 && SteadyClock::now() < end) Turn();
  for (Target& target : targets_) {
    if (target.decided()) continue;
    const PodInfo* pod = store.Find(target.ns, target.name);
    const bool unknown = pod != nullptr && scheduler().IsBinding(pod->id);
    NotBound(target, unknown ? over_ + ": what became of its binding is not known" : over_);
  }
}

// Events and statuses that are on their way.
void BindingEngine::Drain() {
  const auto end = SteadyClock::now() + kDrainTime;
  const auto busy = [this] { return engine_.writing() || engine_.telling() || engine_.writer().running() > 0; };
  while (busy() && SteadyClock::now() < end) client_.Poll(milliseconds(50));
}

Target* BindingEngine::Find(const std::string& uid) {
  const auto found = pending_.find(uid);
  return found == pending_.end() || found->second->decided() ? nullptr : found->second;
}

void BindingEngine::Bound(Target& target, const std::string& node) {
  target.state = Target::State::kBound;
  target.node = node;
  Decide(target);
}

void BindingEngine::NotBound(Target& target, const std::string& why) {
  target.state = Target::State::kNotBound;
  target.why = why;
  Decide(target);
}

void BindingEngine::Decide(Target& target) {
  evictions_.GiveUp(target.uid);
  teller_.Decided(target);
  dropped_.insert(target.uid);
}

// Not at once: the pod may be in the middle of its cycle, or of its binding.
void BindingEngine::DropDecided() {
  for (const std::string& uid : std::exchange(dropped_, {})) {
    const auto found = pending_.find(uid);
    if (found == pending_.end()) continue;
    const Target& target = *found->second;
    const PodInfo* pod = engine_.state().pod_store().Find(target.ns, target.name);
    const bool there = pod != nullptr && pod->uid() == uid;
    if (there && scheduler().IsBinding(pod->id)) {
      dropped_.insert(uid);
      continue;
    }
    if (there) scheduler().queue().Delete(pod->id);
    pending_.erase(found);
  }
}

}  // namespace ksched::bind
