// Canonical bytes for SignPlugin: equal exactly when the values are. The order of the calls is part of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ksched {

void AppendSigned(std::string_view text, std::string& signature);
void AppendSigned(int64_t number, std::string& signature);
// As a multiset: their order does not matter.
void AppendSignedSorted(std::vector<std::string> texts, std::string& signature);

}  // namespace ksched
