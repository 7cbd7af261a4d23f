#include "manifest/pod_template.h"

namespace ksched {
namespace {

const rapidjson::Value* Member(const rapidjson::Value* object, const char* name) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  const auto member = object->FindMember(name);
  return member == object->MemberEnd() ? nullptr : &member->value;
}

}  // namespace

const rapidjson::Value* FindPodTemplate(const rapidjson::Value& object, const std::string& kind) {
  if (kind == "PodTemplate") return Member(&object, "template");
  const rapidjson::Value* spec = Member(&object, "spec");
  if (kind == "CronJob") spec = Member(Member(spec, "jobTemplate"), "spec");
  return Member(spec, "template");
}

}  // namespace ksched
