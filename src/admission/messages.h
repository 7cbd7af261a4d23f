// The words in which the API server refuses what is created.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types_meta.h"
#include "base/result.h"

namespace ksched {

// `pods "web" is forbidden: REASON`. An object without a name goes by its generateName. `resource`: plural, lower case.
Error Forbidden(std::string_view resource, const api::ObjectMeta& metadata, const std::string& reason);

// Several reasons as one: each once, in brackets if there are more than one. There is at least one.
std::string Aggregate(const std::vector<std::string>& reasons);

std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace ksched
