#include "manifest/files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ksched {
namespace {

namespace fs = std::filesystem;

bool IsManifest(const fs::path& path) {
  const fs::path name = path.extension() == ".gz" ? path.stem() : path.filename();
  const fs::path extension = name.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

class FolderReader {
 public:
  explicit FolderReader(bool recursive) : recursive_(recursive) {}

  // Appends the manifests in `folder`.
  Result<void> Read(const fs::path& folder, std::vector<std::string>& out) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    if (failure) return Error{folder.string() + ": " + failure.message()};
    if (std::ranges::find(open_, real) != open_.end()) {
      return Error{folder.string() + ": a symbolic link that leads back to " + real.string()};
    }
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
      entries.push_back(it->path());
    }
    if (failure) return Error{folder.string() + ": " + failure.message()};
    std::ranges::sort(entries);
    open_.push_back(real);
    for (const fs::path& entry : entries) {
      if (auto read = ReadEntry(entry, out); !read) return read;
    }
    open_.pop_back();
    return {};
  }

 private:
  Result<void> ReadEntry(const fs::path& entry, std::vector<std::string>& out) {
    std::error_code failure;
    const fs::file_status status = fs::status(entry, failure);
    if (fs::is_directory(status)) return recursive_ ? Read(entry, out) : Result<void>();
    if (!IsManifest(entry)) return {};
    if (!fs::exists(status)) {
      const std::string why = failure ? failure.message() : "a symbolic link to what does not exist";
      return Error{entry.string() + ": " + why};
    }
    out.push_back(entry.string());
    return {};
  }

  bool recursive_;
  std::vector<fs::path> open_;  // the folders that are being read, outermost first
};

}  // namespace

Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& arguments, bool recursive) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code failure;
    const fs::file_status status =
        argument == "-" ? fs::file_status(fs::file_type::regular) : fs::status(argument, failure);
    if (status.type() == fs::file_type::not_found) return Error{"the path \"" + argument + "\" does not exist"};
    if (!fs::status_known(status)) return Error{argument + ": " + failure.message()};
    if (!fs::is_directory(status)) {
      files.push_back(argument);
      continue;
    }
    const size_t before = files.size();
    if (auto read = FolderReader(recursive).Read(argument, files); !read) return std::move(read).error();
    if (files.size() == before) {
      return Error{"the folder \"" + argument + "\" has no manifests (.yaml, .yml, .json)" +
                   (recursive ? "" : "; -R looks into the folders below too")};
    }
  }
  return files;
}

}  // namespace ksched
