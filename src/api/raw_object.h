// Objects as they are, with all of their fields.
#pragma once

#include <string>

#include <rapidjson/document.h>

namespace ksched::api {

// A value as JSON, without spaces.
std::string ToJson(const rapidjson::Value& value);

// The object as JSON, on one line, without metadata.managedFields.
std::string WithoutManagedFields(const rapidjson::Value& object);

}  // namespace ksched::api
