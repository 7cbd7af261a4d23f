// Where the pod template stands in an object that makes pods, and other fields by their paths.
#pragma once

#include <initializer_list>
#include <string>

#include <rapidjson/document.h>

namespace ksched {

// The value at a path of members; null if it is not there.
const rapidjson::Value* FindField(const rapidjson::Value& object, std::initializer_list<const char*> path);

// spec.template; of a CronJob spec.jobTemplate.spec.template, of a PodTemplate template. Null if it is not there.
const rapidjson::Value* FindPodTemplate(const rapidjson::Value& object, const std::string& kind);

}  // namespace ksched
