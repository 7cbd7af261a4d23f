#include "kube/event_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "api/json_writer.h"
#include "kube/decode_watched.h"

namespace ksched::kube {
namespace {

// Names of objects need no escaping.
std::string NamedOnly(const Resource& resource, std::string_view ns, std::string_view name) {
  std::string metadata = ns.empty() ? "" : fmt::format("\"namespace\":\"{}\",", ns);
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{{}"name":"{}"}}}})",
                     ApiVersion(resource, resource.versions.front()), resource.kind, metadata, name);
}

}  // namespace

EventRecorder::EventRecorder(OutputFile& file, ChangeSink& next, Now now)
    : file_(file), next_(next), now_(std::move(now)) {}

void EventRecorder::Begin(const api::ClusterSnapshot& head) {
  api::Decoded decoded{api::KindClass::kScheduling, "ksched.dev/v1alpha1", "ClusterSnapshot", head};
  std::string text;
  if (auto done = api::AppendJson(decoded, text); done) WriteLine("add", text);
  start_ = now_();
}

int64_t EventRecorder::AtMs() const {
  if (!start_) return 0;
  // Never 0 again: 0 is what was there when the record began.
  return 1 + std::chrono::duration_cast<std::chrono::milliseconds>(now_() - *start_).count();
}

Result<void> EventRecorder::OnAdd(const WatchedObject& object, const api::ObjectHead& head) {
  WriteObject("add", object);
  return next_.OnAdd(object, head);
}

Result<void> EventRecorder::OnUpdate(const WatchedObject& object, const api::ObjectHead& head) {
  WriteObject("update", object);
  return next_.OnUpdate(object, head);
}

void EventRecorder::OnRemove(const Resource& resource, std::string_view ns, std::string_view name) {
  WriteLine("delete", NamedOnly(resource, ns, name));
  next_.OnRemove(resource, ns, name);
}

// An object that cannot be read is not recorded; whoever comes next says so.
void EventRecorder::WriteObject(const char* type, const WatchedObject& object) {
  const auto decoded = Decode(object);
  std::string text;
  if (decoded && api::AppendJson(*decoded, text, {.without_last_applied = true})) WriteLine(type, text);
}

void EventRecorder::WriteLine(const char* type, std::string_view object) {
  if (failure_) return;
  ++events_;
  const auto done = file_.Write(fmt::format("{{\"atMs\":{},\"type\":\"{}\",\"object\":{}}}\n", AtMs(), type, object));
  if (!done) failure_ = done.error();
}

}  // namespace ksched::kube
