#include "api/input_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ksched::api {
namespace {

class FileSource final : public InputSource {
 public:
  FileSource(std::FILE* file, bool owned) : file_(file), owned_(owned) { std::setvbuf(file_, nullptr, _IONBF, 0); }
  ~FileSource() override {
    if (owned_) std::fclose(file_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(char* buffer, size_t size) override {
    errno = 0;
    const size_t got = std::fread(buffer, 1, size, file_);
    if (got < size && std::ferror(file_))
      return Error{fmt::format("cannot read: {}", std::generic_category().message(errno))};
    return got;
  }

 private:
  std::FILE* file_;
  bool owned_;
};

class TextSource final : public InputSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}

  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t got = std::min(size, text_.size() - position_);
    std::memcpy(buffer, text_.data() + position_, got);
    position_ += got;
    return got;
  }

 private:
  std::string text_;
  size_t position_ = 0;
};

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);

// What has been read to look at the first bytes is given out again.
class PrefixedSource final : public InputSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<InputSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t got = std::min(size, prefix_.size() - position_);
    std::memcpy(buffer, prefix_.data() + position_, got);
    position_ += got;
    return got > 0 ? Result<size_t>(got) : rest_->Read(buffer, size);
  }

 private:
  std::string prefix_;
  size_t position_ = 0;
  std::unique_ptr<InputSource> rest_;
};

class GzipSource final : public InputSource {
 public:
  explicit GzipSource(std::unique_ptr<InputSource> packed) : packed_(std::move(packed)) {
    constexpr int kGzipOnly = 16;  // added to the window bits: zlib.h
    usable_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~GzipSource() override {
    if (usable_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<size_t> Read(char* buffer, size_t size) override {
    if (!usable_) return Error{"cannot unpack gzip: out of memory"};
    if (!failure_.message.empty()) return failure_;
    size_t done = 0;
    while (done < size && !finished_) {
      const size_t step = std::min<size_t>(size - done, size_t{1} << 30);  // zlib counts in 32 bits
      stream_.next_out = reinterpret_cast<Bytef*>(buffer + done);
      stream_.avail_out = static_cast<uInt>(step);
      const Result<void> inflated = Inflate();
      done += step - stream_.avail_out;
      if (inflated) continue;
      failure_ = inflated.error();  // what came before is good: it goes first
      return done > 0 ? Result<size_t>(done) : failure_;
    }
    return done;
  }

 private:
  Result<void> Fill() {
    if (stream_.avail_in > 0 || packed_ended_) return {};
    Result<size_t> got = packed_->Read(input_.data(), input_.size());
    if (!got) return got.error();
    packed_ended_ = *got == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*got);
    return {};
  }

  Result<void> Inflate() {
    if (Result<void> filled = Fill(); !filled) return filled;
    if (between_members_) return NextMember();
    if (stream_.avail_in == 0) return Error{"the gzip data end too early: the file is truncated"};
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return Error{fmt::format("invalid gzip data: {}", stream_.msg != nullptr ? stream_.msg : "unknown error")};
    }
    return {};
  }

  // Tools pad with zeros after the last member; anything else there has to be another member.
  Result<void> NextMember() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) {
      finished_ = packed_ended_;
      return {};
    }
    if (inflateReset(&stream_) != Z_OK) return Error{"cannot unpack gzip"};
    between_members_ = false;
    return {};
  }

  std::unique_ptr<InputSource> packed_;
  std::array<char, size_t{64} << 10> input_;
  z_stream stream_{};
  Error failure_;
  bool usable_ = false, packed_ended_ = false, between_members_ = false, finished_ = false;
};

}  // namespace

std::unique_ptr<InputSource> Prepend(std::string start, std::unique_ptr<InputSource> rest) {
  return std::make_unique<PrefixedSource>(std::move(start), std::move(rest));
}

namespace {

Result<std::unique_ptr<InputSource>> Unpacked(std::unique_ptr<InputSource> source) {
  std::string start(kGzipMagic.size(), '\0');
  Result<size_t> got = source->Read(start.data(), start.size());
  if (!got) return std::move(got).error();
  start.resize(*got);
  const bool gzip = start == kGzipMagic;
  source = Prepend(std::move(start), std::move(source));
  if (gzip) source = std::make_unique<GzipSource>(std::move(source));
  return source;
}

}  // namespace

Result<std::unique_ptr<InputSource>> OpenInput(const std::string& file) {
  if (file == "-") return Unpacked(std::make_unique<FileSource>(stdin, /*owned=*/false));
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return Error{fmt::format("\"{}\" is a directory, not a file", file)};
  std::FILE* opened = std::fopen(file.c_str(), "rb");
  if (opened == nullptr) {
    if (errno == ENOENT) return Error{fmt::format("the path \"{}\" does not exist", file)};
    return Error{fmt::format("cannot open \"{}\": {}", file, std::generic_category().message(errno))};
  }
  Result<std::unique_ptr<InputSource>> source = Unpacked(std::make_unique<FileSource>(opened, /*owned=*/true));
  if (!source) return std::move(source).error().Within(file);
  return source;
}

std::unique_ptr<InputSource> OpenText(std::string text) {
  if (!text.starts_with(kGzipMagic)) return std::make_unique<TextSource>(std::move(text));
  return std::make_unique<GzipSource>(std::make_unique<TextSource>(std::move(text)));
}

}  // namespace ksched::api
