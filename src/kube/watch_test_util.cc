#include "kube/watch_test_util.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/message_test_util.h"
#include "kube/list_test_util.h"

namespace ksched::kube {
namespace {

using api::MessageBuilder;

constexpr const char* kEndKey = "k8s.io/initial-events-end";

void Put(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) names.insert(at, name);
}

std::string NameOf(const WatchedObject& object) {
  if (object.document == nullptr) return NameOfProtobuf(object.protobuf);
  return object.document->root()["metadata"]["name"].GetString();
}

}  // namespace

std::string TestEvents::Chunk(const std::string& part) {
  return part.empty() ? "" : fmt::format("{:x}\r\n{}\r\n", part.size(), part);
}

std::string TestEvents::type() const {
  return json_ ? "application/json" : "application/vnd.kubernetes.protobuf;stream=watch";
}

std::string TestEvents::Framed(const std::string& type, const std::string& kind, const std::string& message) const {
  const MessageBuilder object = MessageBuilder().Bytes(1, api::Envelope(kind, message));
  const std::string event = MessageBuilder().Bytes(1, type).Bytes(2, object).Done();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(event.size() >> shift & 0xFF);
  return frame + event;
}

std::string TestEvents::Object(const std::string& type, const std::string& name, const std::string& version) const {
  if (!json_) {
    return Framed(type, "Pod", MessageBuilder().Bytes(1, MessageBuilder().Bytes(1, name).Bytes(6, version)).Done());
  }
  return fmt::format(
      R"({{"type":"{}","object":{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","resourceVersion":"{}"}}}}}})"
      "\n",
      type, name, version);
}

std::string TestEvents::Bookmark(const std::string& version, bool initial_events_end) const {
  const std::string end = initial_events_end ? "true" : "no";
  if (!json_) {
    const MessageBuilder metadata = MessageBuilder().Bytes(6, version).Entry(12, kEndKey, end);
    return Framed("BOOKMARK", "Pod", MessageBuilder().Bytes(1, metadata).Done());
  }
  return fmt::format(
      R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}","annotations":{{"{}":"{}"}}}}}}}})"
      "\n",
      version, kEndKey, end);
}

std::string TestEvents::Error(int code, const std::string& reason, const std::string& cause) const {
  if (!json_) {
    MessageBuilder details, status;
    if (!cause.empty()) details.Bytes(4, MessageBuilder().Bytes(1, cause).Bytes(2, "why"));
    status.Bytes(2, "Failure").Bytes(3, "something").Bytes(4, reason).Bytes(5, details).Number(6, code);
    return Framed("ERROR", "Status", status.Done());
  }
  return fmt::format(
      R"({{"type":"ERROR","object":{{"kind":"Status","message":"something","reason":"{}","code":{},"details":{{"causes":)"
      R"([{{"reason":"{}"}}]}}}}}})"
      "\n",
      reason, code, cause);
}

Reply TestEvents::Open(const std::string& body) const {
  Reply reply = Broken(body);
  reply.close = false;
  reply.hang = true;
  return reply;
}

Reply TestEvents::Broken(const std::string& body) const {
  return {.bytes = fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n{}", type(),
                               Chunk(body)),
          .close = true};
}

Reply TestEvents::Ended(const std::string& body) const {
  Reply reply = Broken(body);
  reply.bytes += "0\r\n\r\n";
  reply.close = false;
  return reply;
}

Reply TestEvents::List(const std::vector<std::string>& names, const std::string& version) const {
  const TestList list{names, version};
  return json_ ? Answer(200, JsonList(list)) : Answer(200, ProtobufList(list), "application/vnd.kubernetes.protobuf");
}

Result<void> NameWatcher::Say(const std::string& what, const WatchedObject& object, std::string& name) {
  name = NameOf(object);
  if (object.resource.plural == "pods") log.push_back(what + " " + name);
  if (name == refuse) return Error{name + " is refused"};
  return {};
}

void NameWatcher::OnListBegin(const Resource& resource) {
  if (resource.plural == "pods") log.emplace_back("begin");
  lists_[resource.plural] = {.open = true, .names = {}};
}

Result<void> NameWatcher::OnListed(const WatchedObject& object) {
  std::string name;
  if (Result<void> said = Say("list", object, name); !said) return said;
  Put(lists_[object.resource.plural].names, name);
  return {};
}

void NameWatcher::OnListEnd(const Resource& resource) {
  if (resource.plural == "pods") log.emplace_back("end");
  List& list = lists_[resource.plural];
  list.open = false;
  names[resource.plural] = list.names;
}

Result<void> NameWatcher::OnEvent(WatchEventType type, const WatchedObject& object) {
  const char* const words[] = {"add", "modify", "delete"};
  std::string name;
  if (Result<void> said = Say(words[static_cast<size_t>(type)], object, name); !said) return said;
  List& list = lists_[object.resource.plural];
  std::vector<std::string>& present = list.open ? list.names : names[object.resource.plural];
  if (type == WatchEventType::kDeleted) {
    std::erase(present, name);
  } else {
    Put(present, name);
  }
  return {};
}

}  // namespace ksched::kube
