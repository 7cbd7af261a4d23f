// Where the cluster is and who asks: kubeconfig files, kubectl's flags and the service account of a pod become one
// ClientConfig. The rules and the texts of errors are kubectl's (client-go tools/clientcmd, v0.37.2).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ksched::kube {

// kubectl's flags about the connection. An empty string is a flag that was not given, as with kubectl.
struct ClientOptions {
  std::string kubeconfig, context, cluster, user, ns, server;
  std::string token, username, password;
  std::string as, as_uid;
  std::vector<std::string> as_groups;
  std::vector<std::string> as_user_extra;  // key=value, repeated keys add values
  std::string request_timeout;             // "0", "5s", "1m30s", "10" (seconds)
  std::string tls_server_name, certificate_authority;
  std::string client_certificate, client_key;    // files, relative to the working directory
  std::optional<bool> insecure_skip_tls_verify;  // false given is not the same as not given for kubectl's defaults
  std::optional<bool> disable_compression;
};

// What the process sees of its surroundings. Tests put their own in place.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> get;  // one variable
  std::function<std::vector<std::string>()> all;  // every NAME=value, for the plugins that are run
  std::function<bool()> stdin_is_terminal;
  std::function<void(const std::string& line)> warn;  // one line for stderr, without its end
  bool stdin_in_use = false;  // the command reads its input from standard input (-f -): a plugin may not
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
  std::function<std::chrono::system_clock::time_point()> now;

  // The real one.
  static Environment OfProcess();
};

struct TlsConfig {
  bool insecure = false;              // take any certificate
  std::string server_name;            // expected in the certificate and sent as SNI; empty: the host of the URL
  std::optional<std::string> ca_pem;  // absent: the host's bundle
};

// What a request says about who asks. Every field may be empty; no field may be printed.
// `bearer_token` wins over username and password; a certificate is presented whenever there is one.
struct Credential {
  std::string bearer_token;
  std::string username, password;
  std::string client_certificate_pem, client_key_pem;  // both or none

  bool operator==(const Credential&) const = default;
};

// Gives the credential for the next request. Safe to call from several threads.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // May run a plugin (and wait for it) or read a file again. Ask before every request; answers are cached.
  virtual Result<Credential> Get() = 0;
  // After a 401: whether Get() may now answer something else, so that one more try is worth it. Runs nothing itself.
  virtual bool Refresh() = 0;
};

struct Impersonation {
  std::string user, uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>>
      extra;  // sorted by key; keys are not yet escaped for a header

  bool empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};

// All that a client of the API server needs.
struct ClientConfig {
  std::string server;                             // a URL with scheme, host, perhaps port and path; no slash at its end
  TlsConfig tls;                                  // for https only
  std::shared_ptr<CredentialSource> credentials;  // never null
  Impersonation impersonation;
  std::string proxy_url;  // http, https or socks5; empty: the environment's (HTTPS_PROXY, NO_PROXY)
  bool disable_compression = false;
  std::chrono::milliseconds request_timeout{0};  // 0: none
  std::string ns;                                // never empty
  std::string context_name;                      // empty: none (in a cluster, or --server alone)
};

// Reads the files that the options and KUBECONFIG name, and nothing else: no plugin runs and no connection is made.
// Errors name the file, context, cluster or user that is wrong, in one line, and never show a secret.
Result<ClientConfig> LoadClientConfig(const ClientOptions& options, const Environment& environment);

}  // namespace ksched::kube
