// From a field's text to its place in a file.
#pragma once

#include <string>
#include <string_view>

#include "api/document.h"

namespace ksched::config {

// "config.yaml:12" for "profiles[0].plugins"; the nearest field around it when there is no such field in the document,
// and the file alone when nothing is known.
std::string Place(const api::Document& document, std::string_view field);

}  // namespace ksched::config
