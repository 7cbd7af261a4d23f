// What the controllers of several kinds share.
#pragma once

#include <optional>
#include <string_view>

#include "controllers/controller.h"

namespace ksched::controllers {

// The reference from the workload's pods to it: with the live object's uid if there is one.
api::OwnerReference OwnerOf(const Request& request);
// By kind and uid; by name where one of the two has no uid.
bool IsOwnedBy(const ManagedPod& pod, const api::OwnerReference& owner);

// The value of a label or annotation; empty if there is none.
std::string_view ValueOf(const api::StringMap& map, const char* key);
// The annotation as a number of at least 0.
std::optional<int32_t> CountOf(const api::StringMap& annotations, const char* key);
// A whole number, as strconv.Atoi reads it but for a leading plus.
std::optional<int64_t> NumberOf(std::string_view text);

// The text that made-up hashes of the wanted template are of.
std::string TemplateTextOf(const Request& request);

}  // namespace ksched::controllers
