// What a scalar of YAML means, as Kubernetes reads it (sigs.k8s.io/yaml on go-yaml v2: YAML 1.1 with its own numbers),
// and what JSON it becomes. Differences: none known but the wording of errors.
#pragma once

#include <string>
#include <string_view>

#include "api/input_sink.h"
#include "base/result.h"

namespace ksched::api {

enum class YamlTag { kNone, kStr, kBool, kInt, kFloat, kNull, kTimestamp, kBinary, kOther };

YamlTag ParseYamlTag(std::string_view tag);  // in its long form, tag:yaml.org,2002:int

struct YamlScalar {
  std::string_view text;
  YamlTag tag = YamlTag::kNone;
  bool plain = true;  // neither quoted nor a block scalar: then an untagged scalar may be other than a string
};

// Strings refer to `scalar.text` where they are equal to it, which therefore has to live as long as the pool.
Result<Json> ResolveYamlScalar(const YamlScalar& scalar, JsonPool& pool);

// The key of a JSON object that a scalar becomes.
Result<std::string_view> ResolveYamlKey(const YamlScalar& scalar, JsonPool& pool);

}  // namespace ksched::api
