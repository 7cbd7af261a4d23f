// The syntax of Kubernetes' names. Each function gives what is wrong with `value`, in the API's words; nothing if it
// is fine. Reference: apimachinery pkg/api/validate/content and pkg/util/validation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ksched::api {

using Messages = std::vector<std::string>;

Messages CheckDns1123Label(std::string_view value);
Messages CheckDns1123Subdomain(std::string_view value);
// A label's key, also of annotations (lower-cased), taints, resources, scheduling gates: "example.com/name", "name".
Messages CheckLabelKey(std::string_view value);
Messages CheckLabelValue(std::string_view value);
Messages CheckPortName(std::string_view value);
Messages CheckPortNumber(int64_t value);

// The same as yes or no, without building messages.
bool IsDns1123Label(std::string_view value);
bool IsDns1123Subdomain(std::string_view value);
bool IsLabelKey(std::string_view value);
bool IsLabelValue(std::string_view value);

// Resources by their names. Reference: pkg/apis/core/helper.
bool IsHugePageResource(std::string_view name);
bool IsNativeResource(std::string_view name);    // without a domain, or of kubernetes.io
bool IsExtendedResource(std::string_view name);  // of another domain
bool IsOvercommitAllowed(std::string_view name);
bool IsIntegerResource(std::string_view name);
bool IsStandardResource(std::string_view name);
bool IsStandardContainerResource(std::string_view name);
bool IsPodLevelResource(std::string_view name);

}  // namespace ksched::api
