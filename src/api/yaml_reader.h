// Reads the documents of a YAML stream, lists item by item.
#pragma once

#include "api/input_sink.h"
#include "api/input_source.h"

namespace ksched::api {

// `lines_before`: how many lines of the file come before what the source gives.
void ReadYaml(InputSource& source, int lines_before, DocumentSink& sink);

}  // namespace ksched::api
