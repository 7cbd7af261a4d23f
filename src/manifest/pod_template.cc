#include "manifest/pod_template.h"

#include "api/json_values.h"

namespace ksched {

const rapidjson::Value* FindPodTemplate(const rapidjson::Value& object, const std::string& kind) {
  if (kind == "PodTemplate") return api::FindField(object, {"template"});
  if (kind == "CronJob") return api::FindField(object, {"spec", "jobTemplate", "spec", "template"});
  return api::FindField(object, {"spec", "template"});
}

}  // namespace ksched
