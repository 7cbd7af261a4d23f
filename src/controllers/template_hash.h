// Made-up hashes of pod templates: for the labels pod-template-hash and controller-revision-hash of pods that a real
// cluster would hash in its own way.
#pragma once

#include <string>
#include <string_view>

#include "api/types_workload.h"

namespace ksched::controllers {

// What scheduling reads of the template, as text: equal exactly for templates that are equal in that.
std::string TemplateText(const api::PodTemplateSpec& pod_template);

// FNV-1a of the text in the letters that Kubernetes uses for generated names: at most 10. `collisions` other than 0
// gives another hash for the same text.
std::string HashOfTemplate(std::string_view text, uint32_t collisions);

}  // namespace ksched::controllers
