// Values as Go writes and reads them, because the reference's messages hold them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/types.h"

namespace ksched::config {

std::string JsonQuote(std::string_view text);  // encoding/json: <, > and & are escaped (%q is api::Quote)

// time.ParseDuration and Duration.String: "1m30s".
Result<DurationNs> ParseDuration(std::string_view text);
std::string FormatDuration(DurationNs duration);

}  // namespace ksched::config
