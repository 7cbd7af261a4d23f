// Reading of one entry of pluginConfig.
#pragma once

#include "config/decode.h"

namespace ksched::config {

// `json` null: no arguments. Errors go to `errors` (and the arguments are not to be used), unknown fields to `unknown`;
// both have the entry's place in front: "decoding .profiles[0].pluginConfig[1]: ...".
PluginConfig DecodePluginConfig(std::string name, const rapidjson::Value* json, size_t profile, size_t index,
                                std::vector<DecodeError>& errors, std::vector<DecodeError>& unknown);

// What the reference says of an object's apiVersion and kind when it can not read them; empty when it can. Absent ones
// are empty afterwards.
std::string ReadTypeMeta(const rapidjson::Value& json, std::string& api_version, std::string& kind);
// The same for a type that the configuration's group does not have; empty when it has it.
std::string CheckRegistered(std::string_view api_version, std::string_view kind);

}  // namespace ksched::config
