#include "app/webhook/watched_picture.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "kube/decode_watched.h"

namespace ksched::webhook {
namespace {

bool IsForAdmission(const kube::Resource& resource) {
  constexpr std::string_view kPlurals[] = {"priorityclasses", "runtimeclasses", "limitranges"};
  return std::ranges::find(kPlurals, resource.plural) != std::end(kPlurals);
}

daemon::LiveEngineOptions EngineOptions() {
  daemon::LiveEngineOptions options;
  options.may_write = [] { return false; };
  for (const kube::Resource& resource : kube::AllResources()) {
    if (IsForAdmission(resource)) options.also_watched.push_back({&resource, "", ""});
  }
  return options;
}

}  // namespace

AdmissionPlugins CompletingPlugins() {
  AdmissionPlugins plugins;
  for (const auto plugin : {AdmissionPlugin::kLimitRanger, AdmissionPlugin::kPriority,
                            AdmissionPlugin::kDefaultTolerationSeconds, AdmissionPlugin::kRuntimeClass}) {
    plugins.Add(plugin);
  }
  return plugins;
}

void PutForAdmission(const api::Object& object, Admission& admission) {
  if (const auto* priority = std::get_if<api::PriorityClass>(&object)) admission.Put(*priority);
  if (const auto* runtime = std::get_if<api::RuntimeClass>(&object)) admission.Put(*runtime);
  if (const auto* limits = std::get_if<api::LimitRange>(&object)) admission.Put(*limits);
}

// Takes what admission reads out of the stream of changes; everything goes on.
class WatchedPicture::AdmissionSink final : public kube::ChangeSink {
 public:
  explicit AdmissionSink(kube::ChangeSink& below) : below_(below) {}

  Result<void> OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) override {
    if (!IsForAdmission(object.resource)) return below_.OnAdd(object, head);
    auto decoded = kube::Decode(object);
    if (!decoded) return std::move(decoded).error();
    PutForAdmission(decoded->object, admission_);
    shared_.reset();
    return {};
  }
  Result<void> OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) override {
    return IsForAdmission(object.resource) ? OnAdd(object, head) : below_.OnUpdate(object, head);
  }
  void OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) override {
    if (!IsForAdmission(resource)) return below_.OnRemove(resource, ns, name);
    admission_.Remove(resource.kind, ns, name);
    shared_.reset();
  }

  // The same one as before if nothing has changed.
  std::shared_ptr<const Admission> Shared() {
    if (shared_ == nullptr) shared_ = std::make_shared<const Admission>(admission_);
    return shared_;
  }

 private:
  kube::ChangeSink& below_;
  Admission admission_{CompletingPlugins()};
  std::shared_ptr<const Admission> shared_;
};

WatchedPicture::WatchedPicture(const cli::Setup& setup, kube::HttpClient& client)
    : setup_(setup), client_(client), engine_(setup, client, EngineOptions()) {}

WatchedPicture::~WatchedPicture() = default;

Result<void> WatchedPicture::Start(std::shared_ptr<const Policy> policy) {
  const SchedulerOptions options{.configuration = setup_.configuration, .features = setup_.features};
  const auto tap = [this](kube::ChangeSink& below) -> kube::ChangeSink& {
    admission_ = std::make_unique<AdmissionSink>(below);
    return *admission_;
  };
  Ports ports;
  ports.binder = &nothing_;
  if (auto created = engine_.Create(options, ports, tap); !created) return created;
  // Pods that wait are of no interest, but for their nominations.
  engine_.scheduler().HandleOnly([](const PodInfo&) { return false; });
  publisher_.emplace(engine_.state());
  SetPolicy(std::move(policy));
  engine_.Start();
  return {};
}

void WatchedPicture::Turn(std::chrono::milliseconds most) {
  client_.Poll(most);
  known_ = known_ || AllIsKnown();
  if (!known_) return;
  if (AllAreWatched()) true_at_ = SteadyClock::now().time_since_epoch().count();
  Publish();
}

// What may not be read is not empty: to judge without it would be wrong.
bool WatchedPicture::AllIsKnown() const { return engine_.reflectors().synced() && engine_.WhatIsForbidden().empty(); }

bool WatchedPicture::AllAreWatched() const {
  return std::ranges::all_of(engine_.reflectors().statuses(), [](const kube::ReflectorStatus& status) {
    return status.watching || status.absent == kube::Absence::kNotFound;
  });
}

void WatchedPicture::Publish() {
  SnapshotPtr snapshot = publisher_->Publish();
  std::shared_ptr<const Admission> admission = admission_->Shared();
  if (newest_->snapshot == snapshot && newest_->admission == admission) return;
  auto next = std::make_shared<Picture>(*newest_);
  next->snapshot = std::move(snapshot);
  next->admission = std::move(admission);
  next->names = engine_.state().shared_resource_names();
  const std::lock_guard lock(mutex_);
  newest_ = std::move(next);
}

void WatchedPicture::SetPolicy(std::shared_ptr<const Policy> policy) {
  auto next = newest_ == nullptr ? std::make_shared<Picture>() : std::make_shared<Picture>(*newest_);
  next->policy = std::move(policy);
  const std::lock_guard lock(mutex_);
  newest_ = std::move(next);
}

std::shared_ptr<const Picture> WatchedPicture::Newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

std::chrono::milliseconds WatchedPicture::Age() const {
  const SteadyClock::time_point then{SteadyClock::duration(true_at_.load())};
  return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - then);
}

}  // namespace ksched::webhook
