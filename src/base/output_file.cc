#include "base/output_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <utility>

namespace ksched {

OutputFile::OutputFile(std::string path, std::ostream& out, When when)
    : path_(std::move(path)), out_(out), when_(when) {}

OutputFile::~OutputFile() {
  if (gz_ != nullptr) gzclose(gz_);
  if (!partial_.empty()) std::remove(partial_.c_str());
}

Result<void> OutputFile::Check() const {
  if (path_ == "-") return {};
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (std::filesystem::is_directory(path_, failure)) return Error{path_ + ": is a folder"};
  if (folder.empty() || std::filesystem::is_directory(folder, failure)) return {};
  return Error{path_ + ": there is no folder " + folder.string()};
}

Result<void> OutputFile::Open() {
  if (path_ == "-") return {};
  // What is no file (a device, a pipe) is written to as it is; a link stays one.
  std::error_code failure;
  const auto status = std::filesystem::status(path_, failure);
  const bool exists = std::filesystem::exists(status);
  const bool special = exists && !std::filesystem::is_regular_file(status);
  target_ = exists && !special ? std::filesystem::canonical(path_, failure).string() : path_;
  if (!special && when_ == When::kWhole) partial_ = target_ + ".partial";
  gz_ = gzopen((partial_.empty() ? target_ : partial_).c_str(), path_.ends_with(".gz") ? "wb" : "wbT");
  if (gz_ != nullptr) return {};
  const std::string reason = std::strerror(errno);
  partial_.clear();
  return Error{path_ + ": cannot be written: " + reason};
}

Result<void> OutputFile::Write(std::string_view text) {
  if (gz_ == nullptr) {
    out_ << text;
    return {};
  }
  while (!text.empty()) {
    const auto size = static_cast<unsigned>(std::min<size_t>(text.size(), 1U << 20U));
    if (gzwrite(gz_, text.data(), size) != static_cast<int>(size)) return Failed();
    text.remove_prefix(size);
  }
  return {};
}

Result<void> OutputFile::Flush() {
  if (gz_ == nullptr) {
    out_.flush();
    return {};
  }
  if (gzflush(gz_, Z_SYNC_FLUSH) != Z_OK) return Failed();
  return {};
}

Result<void> OutputFile::Close() {
  if (gz_ == nullptr) return {};
  if (gzclose(std::exchange(gz_, nullptr)) != Z_OK) return Failed();
  if (!partial_.empty() && std::rename(partial_.c_str(), target_.c_str()) != 0) return Failed();
  partial_.clear();
  return {};
}

Error OutputFile::Failed() const { return Error{path_ + ": writing failed: " + std::strerror(errno)}; }

}  // namespace ksched
