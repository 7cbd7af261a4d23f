// A kubeconfig: clusters, users and contexts by name. Read as kubectl does (client-go tools/clientcmd, v0.37.2):
// unknown fields and all but the first document are ignored, wrong types are errors. Unlike there, a key that is given
// twice in one mapping is an error, and messages never repeat what a field holds: it may be a secret.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ksched::kube {

// Extensions by name, each as JSON with sorted keys ("null" if there is none).
using KubeconfigExtensions = std::map<std::string, std::string>;

struct KubeconfigCluster {
  std::string server, tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;       // a file
  std::string certificate_authority_data;  // PEM, out of its base64
  std::string proxy_url;
  bool disable_compression = false;
  KubeconfigExtensions extensions;
};

struct KubeconfigExec {
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version, install_hint, interactive_mode;
  bool provide_cluster_info = false;
};

struct KubeconfigAuthProvider {
  std::string name;
  std::map<std::string, std::string> config;
};

struct KubeconfigUser {
  std::string client_certificate, client_key;            // files
  std::string client_certificate_data, client_key_data;  // PEM, out of their base64
  std::string token, token_file;
  std::string as, as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_user_extra;
  std::string username, password;
  std::optional<KubeconfigAuthProvider> auth_provider;
  std::optional<KubeconfigExec> exec;
  KubeconfigExtensions extensions;
};

struct KubeconfigContext {
  std::string cluster, user, ns;
  KubeconfigExtensions extensions;
};

struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
  bool colors = false;
  KubeconfigExtensions preferences_extensions, extensions;
};

// One file's text. Paths stay as they are written. The error names the field and its line, not the file.
Result<Kubeconfig> ParseKubeconfig(std::string text);

// Makes the relative paths of `config` (files, and a plugin's command with a slash in it) paths below `folder`.
void ResolvePaths(Kubeconfig& config, const std::string& folder);

// Adds what `lower` says to `config`: an entry or a value that is there already stays.
void MergeKubeconfig(Kubeconfig& config, Kubeconfig lower);

struct KubeconfigFiles {
  std::vector<std::string> paths;  // the first wins; none is empty
  bool must_exist = false;         // named by --kubeconfig
  bool warn_if_none = false;       // named by KUBECONFIG
};

// --kubeconfig, or else KUBECONFIG (a list as PATH is one), or else ~/.kube/config.
KubeconfigFiles FindKubeconfigFiles(const std::string& flag,
                                    const std::function<std::optional<std::string>(const std::string&)>& environment);

// All files merged, their paths resolved. Files that do not exist count as empty, unless they must exist. `warn` (may
// be empty) gets a line if none of KUBECONFIG's files exists.
Result<Kubeconfig> LoadKubeconfig(const KubeconfigFiles& files, const std::function<void(const std::string&)>& warn);

// Go's filepath.Clean.
std::string CleanPath(std::string_view path);

}  // namespace ksched::kube
