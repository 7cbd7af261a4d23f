// From the arguments of -f to the files that are read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ksched {

// In the order of the arguments: a file as it is ("-" stands for standard input), a folder as its manifests (.yaml,
// .yml and .json, also with .gz), sorted; with `recursive` also those of the folders below, where symbolic links are
// followed. Errors: what does not exist, a folder without manifests, links that lead round in a circle.
Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& arguments, bool recursive);

}  // namespace ksched
