// A file that is written from front to back, packed (gzip) if its name ends in ".gz", or standard output.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.h"

struct gzFile_s;  // zlib's

namespace ksched {

class OutputFile {
 public:
  enum class When {
    kWhole,   // it comes to be under its name when it is complete
    kGrowing  // it is there from the start, and what has been flushed can be read
  };
  // "-": `out`. Nothing is opened yet.
  OutputFile(std::string path, std::ostream& out, When when = When::kWhole);
  ~OutputFile();  // what is not closed is thrown away, if it was to be whole
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Whether there is a chance, before anything is worked for.
  Result<void> Check() const;
  Result<void> Open();
  Result<void> Write(std::string_view text);
  Result<void> Flush();
  Result<void> Close();
  const std::string& path() const { return path_; }

 private:
  Error Failed() const;

  std::string path_, target_, partial_;
  std::ostream& out_;
  When when_;
  gzFile_s* gz_ = nullptr;
};

}  // namespace ksched
