#include "kube/event_body.h"

#include <fmt/format.h>

#include <utility>

#include "api/names.h"
#include "kube/identity.h"
#include "kube/json_body.h"

namespace ksched::kube {
namespace {

constexpr size_t kMaxNote = 1024, kMaxInstance = 128;

bool IsMiddleOfLetter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// At most so many bytes, and no half letters.
std::string_view Prefix(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && IsMiddleOfLetter(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

void CutNote(std::string& note) {
  constexpr std::string_view kSuffix = " ...";
  if (note.size() <= kMaxNote) return;
  note.resize(Prefix(note, kMaxNote - kSuffix.size()).size());
  note += kSuffix;
}

void WriteSeries(JsonBody& body, const Event& event) {
  if (!event.series) return;
  body.Open("series");
  body.Number("count", event.series->count);
  body.Text("lastObservedTime", FormatMicros(event.series->last));
  body.Close();
}

void Append(std::string& key, std::string_view part) {
  key += part;
  key += '\0';
}

void Append(std::string& key, const ObjectReference& object) {
  for (const std::string* part :
       {&object.api_version, &object.kind, &object.ns, &object.name, &object.uid, &object.resource_version}) {
    Append(key, *part);
  }
}

}  // namespace

Event MakeEvent(EventMessage message, std::string_view hostname, TimeNs now) {
  Event event{.message = std::move(message), .time = now};
  CutNote(event.message.note);
  const ObjectReference& about = event.message.regarding;
  event.ns = about.ns.empty() ? "default" : about.ns;
  event.name = fmt::format("{}.{:x}", about.name, now);
  if (!api::IsDns1123Subdomain(event.name)) event.name = NewUuid();
  event.instance = Prefix(fmt::format("{}-{}", event.message.controller, hostname), kMaxInstance);
  return event;
}

std::string EventKey(const Event& event) {
  std::string key;
  for (const std::string* part : {&event.message.type, &event.message.action, &event.message.reason,
                                  &event.message.controller, &event.instance}) {
    Append(key, *part);
  }
  Append(key, event.message.regarding);
  if (event.message.related) Append(key, *event.message.related);
  return key;
}

std::string EventJson(const Event& event) {
  const EventMessage& message = event.message;
  JsonBody body;
  body.Text("apiVersion", "events.k8s.io/v1");
  body.Text("kind", "Event");
  WriteMetadata(body, event.ns, event.name);
  body.Text("eventTime", FormatMicros(event.time));
  WriteSeries(body, event);
  body.Text("reportingController", message.controller);
  body.Text("reportingInstance", event.instance);
  body.Text("action", message.action);
  body.Text("reason", message.reason);
  WriteReference(body, "regarding", message.regarding);
  if (message.related) WriteReference(body, "related", *message.related);
  body.TextUnlessEmpty("note", message.note);
  body.Text("type", message.type);
  return body.Take();
}

std::string SeriesPatch(const Event& event) {
  JsonBody body;
  WriteSeries(body, event);
  return body.Take();
}

}  // namespace ksched::kube
