#include "kube/ca_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace ksched::kube {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----", kEnd = "-----END CERTIFICATE-----";

class Reader {
 public:
  // Whether it could be read.
  bool ReadFile(const fs::path& path) {
    std::error_code failure;
    if (fs::is_directory(path, failure)) return Failed(path, "is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return errno == ENOENT ? false : Failed(path, std::strerror(errno));
    AppendCertificates(std::string(std::istreambuf_iterator<char>(file), {}));
    return true;
  }

  void ReadFolder(const fs::path& folder) {
    std::error_code failure;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
      if (!IsAliasWithin(*entry)) files.push_back(entry->path());
    }
    if (failure && failure != std::errc::no_such_file_or_directory) Failed(folder, failure.message());
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) ReadFile(path);
    }
  }

  Result<std::string> Take() && {
    if (bundle_.empty() && first_failure_) return *std::move(first_failure_);
    return std::move(bundle_);
  }

 private:
  // What stands between the certificates (names, keys) is left out, and so is what is there already: the folder has
  // each certificate of the file once more.
  void AppendCertificates(std::string_view text) {
    size_t begin = text.find(kBegin);
    while (begin != std::string_view::npos) {
      const size_t end = text.find(kEnd, begin);
      if (end == std::string_view::npos) return;
      std::string_view one = text.substr(begin, end + kEnd.size() - begin);
      if (seen_.emplace(one).second) bundle_.append(one).append("\n");
      begin = text.find(kBegin, end);
    }
  }

  // A link to a file of the same folder (the hashed names of c_rehash): its certificates come under their own name.
  static bool IsAliasWithin(const fs::directory_entry& entry) {
    std::error_code failure;
    if (!entry.is_symlink(failure)) return false;
    return fs::read_symlink(entry.path(), failure).native().find('/') == std::string::npos;
  }

  bool Failed(const fs::path& path, std::string_view why) {
    if (!first_failure_) {
      first_failure_ =
          Error{fmt::format("cannot read the certificates that this host trusts: {}: {}", path.native(), why)};
    }
    return false;
  }

  std::string bundle_;
  std::unordered_set<std::string> seen_;
  std::optional<Error> first_failure_;
};

std::vector<std::string> SplitAtColons(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

CaLocations CaLocations::Of(const GetEnv& get) {
  CaLocations locations{
      .files = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                "/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem"},
      .folders = {"/etc/ssl/certs", "/etc/pki/tls/certs"}};
  if (const auto file = get("SSL_CERT_FILE"); file && !file->empty()) locations.files = {*file};
  if (const auto folders = get("SSL_CERT_DIR"); folders && !folders->empty()) {
    locations.folders = SplitAtColons(*folders);
  }
  return locations;
}

Result<std::string> ReadCaBundle(const CaLocations& locations) {
  Reader reader;
  for (const std::string& file : locations.files) {
    if (reader.ReadFile(file)) break;
  }
  for (const std::string& folder : locations.folders) reader.ReadFolder(folder);
  return std::move(reader).Take();
}

}  // namespace ksched::kube
