#include "kube/credentials_file.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ksched::kube {

std::string ErrnoText(int number) {
  std::string text = std::generic_category().message(number);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Error{"open " + path + ": " + ErrnoText(errno)};
  std::string content;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int number = errno;
      close(file);
      return Error{"read " + path + ": " + ErrnoText(number)};
    }
    if (count == 0) break;
    content.append(buffer.data(), static_cast<size_t>(count));
  }
  close(file);
  return content;
}

std::optional<WatchedFile::Stamp> WatchedFile::StampOf() const {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) return std::nullopt;
#ifdef __APPLE__
  const timespec changed = status.st_mtimespec;
#else
  const timespec changed = status.st_mtim;
#endif
  return Stamp{.device = status.st_dev,
               .inode = status.st_ino,
               .size = static_cast<uint64_t>(status.st_size),
               .seconds = changed.tv_sec,
               .nanoseconds = changed.tv_nsec};
}

Result<std::string> WatchedFile::Read(bool force) {
  const std::optional<Stamp> stamp = StampOf();  // before the content: a change in between is seen the next time
  if (!force && stamp && stamp == seen_) return content_;
  Result<std::string> content = ReadWholeFile(path_);
  if (!content) return content;
  seen_ = stamp;
  content_ = std::move(*content);
  return content_;
}

}  // namespace ksched::kube
