// Where bytes of input come from: a file, standard input, text in memory; unpacked if they are gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace ksched::api {

class InputSource {
 public:
  virtual ~InputSource() = default;
  // Returns how many bytes it put into `buffer`: 0 only at the end. After an error there is nothing more.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;
};

// "-" is standard input. A folder is an error; gzip is recognised by its content and unpacked, member after member.
Result<std::unique_ptr<InputSource>> OpenInput(const std::string& file);

// The same for bytes in memory, gzip included.
std::unique_ptr<InputSource> OpenText(std::string text);

// Gives out `start` (what was read to look at it), then the rest.
std::unique_ptr<InputSource> Prepend(std::string start, std::unique_ptr<InputSource> rest);

}  // namespace ksched::api
