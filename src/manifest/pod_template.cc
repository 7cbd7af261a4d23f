#include "manifest/pod_template.h"

namespace ksched {

const rapidjson::Value* FindField(const rapidjson::Value& object, std::initializer_list<const char*> path) {
  const rapidjson::Value* at = &object;
  for (const char* name : path) {
    if (!at->IsObject()) return nullptr;
    const auto member = at->FindMember(name);
    if (member == at->MemberEnd()) return nullptr;
    at = &member->value;
  }
  return at;
}

const rapidjson::Value* FindPodTemplate(const rapidjson::Value& object, const std::string& kind) {
  if (kind == "PodTemplate") return FindField(object, {"template"});
  if (kind == "CronJob") return FindField(object, {"spec", "jobTemplate", "spec", "template"});
  return FindField(object, {"spec", "template"});
}

}  // namespace ksched
