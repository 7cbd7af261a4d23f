#include <algorithm>
#include <cerrno>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include "kube/credentials_file.h"
#include "kube/kubeconfig.h"

namespace ksched::kube {
namespace {

bool IsAbsolute(std::string_view path) { return path.starts_with('/'); }

void Resolve(std::string& path, const std::string& folder) {
  if (!path.empty() && !IsAbsolute(path)) path = CleanPath(folder + "/" + path);
}

// The folder of a file, absolute.
Result<std::string> FolderOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  if (IsAbsolute(folder)) return CleanPath(folder);
  std::string working(4096, '\0');
  if (getcwd(working.data(), working.size()) == nullptr) {
    return Error{"could not determine the absolute path of config file " + file + ": getwd: " + ErrnoText(errno)};
  }
  return CleanPath(std::string(working.c_str()) + "/" + folder);
}

template <typename T>
void MergeMap(std::map<std::string, T>& higher, std::map<std::string, T>&& lower) {
  higher.merge(std::move(lower));
}

bool Exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 || errno != ENOENT;
}

// One message of many, as client-go's aggregates write them.
Error Aggregate(const std::vector<std::string>& messages) {
  if (messages.size() == 1) return Error{messages[0]};
  std::string text = "[";
  for (const std::string& message : messages) text += (text.size() > 1 ? ", " : "") + message;
  return Error{text + "]"};
}

Result<Kubeconfig> LoadOne(const std::string& path) {
  Result<std::string> text = ReadWholeFile(path);
  if (!text) return std::move(text).error();
  Result<Kubeconfig> config = ParseKubeconfig(std::move(*text));
  if (!config) return config;
  Result<std::string> folder = FolderOf(path);
  if (!folder) return std::move(folder).error();
  ResolvePaths(*config, *folder);
  return config;
}

}  // namespace

std::string CleanPath(std::string_view path) {
  const bool rooted = IsAbsolute(path);
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !rooted) {
      parts.push_back(part);
    }
  }
  std::string clean;
  for (const std::string_view part : parts) {
    if (rooted || !clean.empty()) clean += '/';
    clean += part;
  }
  if (clean.empty()) return rooted ? "/" : ".";
  return clean;
}

void ResolvePaths(Kubeconfig& config, const std::string& folder) {
  for (auto& [name, cluster] : config.clusters) Resolve(cluster.certificate_authority, folder);
  for (auto& [name, user] : config.users) {
    Resolve(user.client_certificate, folder);
    Resolve(user.client_key, folder);
    Resolve(user.token_file, folder);
    if (user.exec && user.exec->command.find('/') != std::string::npos) Resolve(user.exec->command, folder);
  }
}

void MergeKubeconfig(Kubeconfig& config, Kubeconfig lower) {
  MergeMap(config.clusters, std::move(lower.clusters));
  MergeMap(config.users, std::move(lower.users));
  MergeMap(config.contexts, std::move(lower.contexts));
  MergeMap(config.extensions, std::move(lower.extensions));
  MergeMap(config.preferences_extensions, std::move(lower.preferences_extensions));
  if (config.current_context.empty()) config.current_context = std::move(lower.current_context);
  config.colors = config.colors || lower.colors;
}

KubeconfigFiles FindKubeconfigFiles(const std::string& flag,
                                    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (!flag.empty()) return {.paths = {flag}, .must_exist = true};
  const std::string list = environment("KUBECONFIG").value_or("");
  if (list.empty()) return {.paths = {CleanPath(environment("HOME").value_or("") + "/.kube/config")}};
  KubeconfigFiles files{.warn_if_none = true};
  std::set<std::string> seen;
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(':', start), list.size());
    std::string path = list.substr(start, end - start);
    if (!path.empty() && seen.insert(path).second) files.paths.push_back(std::move(path));
    start = end + 1;
  }
  return files;
}

Result<Kubeconfig> LoadKubeconfig(const KubeconfigFiles& files, const std::function<void(const std::string&)>& warn) {
  Kubeconfig merged;
  std::vector<std::string> errors;
  std::string missing;
  size_t found = 0;
  for (const std::string& path : files.paths) {
    if (!Exists(path)) {
      if (files.must_exist) return Error{"stat " + path + ": " + ErrnoText(ENOENT)};
      missing += (missing.empty() ? "" : ", ") + path;
      continue;
    }
    Result<Kubeconfig> config = LoadOne(path);
    if (config) {
      ++found;
      MergeKubeconfig(merged, std::move(*config));
    } else {
      errors.push_back("error loading config file \"" + path + "\": " + config.error().message);
    }
  }
  if (!errors.empty()) return Aggregate(errors);
  if (files.warn_if_none && found == 0 && !missing.empty() && warn) warn("Config not found: " + missing);
  return merged;
}

}  // namespace ksched::kube
