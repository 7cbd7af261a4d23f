// Any bytes are read as a document or end in a problem; a position can be asked for everywhere.
#include <cstdint>
#include <string>

#include "fuzz_documents.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ksched::fuzz::ReadAndLocate(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
