// Objects as JSON, by the tables of their kinds (api/fields.h).
#pragma once

#include <string>

#include "api/objects.h"
#include "base/result.h"

namespace ksched::api {

struct JsonOptions {
  bool without_last_applied = false;  // leave the annotation kubectl.kubernetes.io/last-applied-configuration out
};

// Appends the object, on one line without a newline: apiVersion, kind, and what is read of its kind. Reading it gives
// an equal object: what is absent stays absent, defaults that were set are written out. Quantities are in their
// canonical form, times are UTC. Text that is no UTF-8 gets U+FFFD where it is not, as in Go. An error, and nothing
// appended, for an object of a kind that is not read (Decoded::kind_class is kIgnored).
Result<void> AppendJson(const Decoded& decoded, std::string& out, const JsonOptions& options = {});

}  // namespace ksched::api
