#include "kube/event_recorder.h"

#include <fmt/format.h>

#include <utility>

#include "api/json_writer.h"
#include "kube/decode_watched.h"
#include "kube/json_body.h"

namespace ksched::kube {
namespace {

std::string NamedOnly(const Resource& resource, std::string_view ns, std::string_view name) {
  JsonBody json;
  json.Text("apiVersion", ApiVersion(resource, resource.versions.front()));
  json.Text("kind", resource.kind);
  json.Open("metadata");
  json.TextUnlessEmpty("namespace", ns);
  json.Text("name", name);
  json.Close();
  return json.Take();
}

std::string KeyOf(const Resource& resource, std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}/{}", resource.plural, ns, name);
}

Result<std::string> TextOf(const WatchedObject& object) {
  const auto decoded = Decode(object);
  if (!decoded) return decoded.error();
  std::string text;
  if (auto done = api::AppendJson(*decoded, text, {.without_last_applied = true}); !done) return done.error();
  return text;
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
  Result<void> written = WriteObject("add", object, head);
  Result<void> passed = next_.OnAdd(object, head);
  return passed ? written : passed;
}

Result<void> EventRecorder::OnUpdate(const WatchedObject& object, const api::ObjectHead& head) {
  Result<void> written = WriteObject("update", object, head);
  Result<void> passed = next_.OnUpdate(object, head);
  return passed ? written : passed;
}

void EventRecorder::OnRemove(const Resource& resource, std::string_view ns, std::string_view name) {
  if (unknown_.erase(KeyOf(resource, ns, name)) == 0) WriteLine("delete", NamedOnly(resource, ns, name));
  next_.OnRemove(resource, ns, name);
}

Result<void> EventRecorder::WriteObject(std::string_view type, const WatchedObject& object,
                                        const api::ObjectHead& head) {
  Result<std::string> text = TextOf(object);
  std::string key = KeyOf(object.resource, head.ns, head.name);
  if (!text) {
    if (type == "add") unknown_.insert(std::move(key));
    return Error{text.error().message + ": this is not recorded"};
  }
  WriteLine(unknown_.erase(key) == 0 ? type : "add", *text);
  return {};
}

void EventRecorder::WriteLine(std::string_view type, std::string_view object) {
  if (failure_) return;
  ++events_;
  const auto done = file_.Write(fmt::format("{{\"atMs\":{},\"type\":\"{}\",\"object\":{}}}\n", AtMs(), type, object));
  if (!done) failure_ = done.error();
}

}  // namespace ksched::kube
