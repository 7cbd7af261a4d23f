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

// An amount of this resource as the API server prints it. How it was written is not kept: what counts or measures
// processors is decimal, bytes are written with whatever suffixes need fewer digits, binary ones if it is the same.
// The difference from the server: amounts that were written with an exponent, or in bytes with the other suffixes.
std::string QuantityText(std::string_view resource, const api::Quantity& quantity);

}  // namespace ksched
