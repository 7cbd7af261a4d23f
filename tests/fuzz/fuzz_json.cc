// Any bytes after a brace are read as JSON or end in a problem; a position can be asked for everywhere.
#include <cstdint>
#include <string>
#include <utility>

#include "fuzz_documents.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Most bytes would be taken for YAML: the other target is for those.
  std::string text("{");
  text.append(reinterpret_cast<const char*>(data), size);
  ksched::fuzz::ReadAndLocate(std::move(text));
  return 0;
}
