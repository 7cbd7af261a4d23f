// Objects of the API server as values.
#pragma once

#include <string>

#include "api/objects.h"
#include "kube/watch_sink.h"

namespace ksched::kube {

// "apps/v1", "v1".
std::string ApiVersion(const Resource& resource, std::string_view version);
// False if it cannot be read: `problems` say why, and nobody may use `decoded`.
bool Decode(const WatchedObject& object, api::Decoded& decoded, api::Problems& problems);
// The first problem is the error, with object and field.
Result<api::Decoded> Decode(const WatchedObject& object);
// Of the JSON that the server answers with when it is asked for one object.
Result<api::Decoded> DecodeJson(std::string json);

}  // namespace ksched::kube
