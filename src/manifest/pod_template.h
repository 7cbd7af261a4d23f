// Where the pod template stands in an object that makes pods.
#pragma once

#include <string>

#include <rapidjson/document.h>

namespace ksched {

// spec.template; of a CronJob spec.jobTemplate.spec.template, of a PodTemplate template. Null if it is not there.
const rapidjson::Value* FindPodTemplate(const rapidjson::Value& object, const std::string& kind);

}  // namespace ksched
