// Any bytes after a brace are read as JSON or end in a problem; a position can be asked for everywhere.
#include <cstdint>
#include <string>

#include "fuzz_documents.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Most bytes would be taken for YAML: the other target is for those.
  ksched::fuzz::ReadAndLocate("{" + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
