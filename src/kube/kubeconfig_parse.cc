#include "api/document.h"
#include "api/json_values.h"
#include "kube/kubeconfig.h"
#include "kube/kubeconfig_fields.h"

namespace ksched::kube {
namespace {

void ReadExtensions(const ObjectFields& fields, KubeconfigExtensions& out) {
  fields.List("extensions", [&](const ObjectFields& item) {
    std::string name;
    item.Read("name", name);
    const rapidjson::Value* extension = item.Find("extension");
    const bool added = out.emplace(name, extension == nullptr ? "null" : api::CanonicalJson(*extension)).second;
    if (!added) item.problem().Say(item.path(), "duplicate name \"" + name + "\" in list");
  });
}

void ReadEntry(const ObjectFields& fields, KubeconfigCluster& cluster) {
  fields.Read("server", cluster.server);
  fields.Read("tls-server-name", cluster.tls_server_name);
  fields.Read("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  fields.Read("certificate-authority", cluster.certificate_authority);
  fields.ReadBase64("certificate-authority-data", cluster.certificate_authority_data);
  fields.Read("proxy-url", cluster.proxy_url);
  fields.Read("disable-compression", cluster.disable_compression);
  ReadExtensions(fields, cluster.extensions);
}

void ReadExec(const ObjectFields& fields, KubeconfigExec& exec) {
  fields.Read("command", exec.command);
  fields.Read("args", exec.args);
  fields.List("env", [&](const ObjectFields& item) {
    auto& [name, value] = exec.env.emplace_back();
    item.Read("name", name);
    item.Read("value", value);
  });
  fields.Read("apiVersion", exec.api_version);
  fields.Read("installHint", exec.install_hint);
  fields.Read("interactiveMode", exec.interactive_mode);
  fields.Read("provideClusterInfo", exec.provide_cluster_info);
  const bool optional_mode = exec.api_version == "client.authentication.k8s.io/v1beta1" ||
                             exec.api_version == "client.authentication.k8s.io/v1alpha1";
  if (exec.interactive_mode.empty() && optional_mode) exec.interactive_mode = "IfAvailable";
}

void ReadEntry(const ObjectFields& fields, KubeconfigUser& user) {
  fields.Read("client-certificate", user.client_certificate);
  fields.ReadBase64("client-certificate-data", user.client_certificate_data);
  fields.Read("client-key", user.client_key);
  fields.ReadBase64("client-key-data", user.client_key_data);
  fields.Read("token", user.token);
  fields.Read("tokenFile", user.token_file);
  fields.Read("as", user.as);
  fields.Read("as-uid", user.as_uid);
  fields.Read("as-groups", user.as_groups);
  fields.Read("as-user-extra", user.as_user_extra);
  fields.Read("username", user.username);
  fields.Read("password", user.password);
  fields.Object("auth-provider", [&](const ObjectFields& provider) {
    user.auth_provider.emplace();
    provider.Read("name", user.auth_provider->name);
    provider.Read("config", user.auth_provider->config);
  });
  fields.Object("exec", [&](const ObjectFields& exec) { ReadExec(exec, user.exec.emplace()); });
  ReadExtensions(fields, user.extensions);
}

void ReadEntry(const ObjectFields& fields, KubeconfigContext& context) {
  fields.Read("cluster", context.cluster);
  fields.Read("user", context.user);
  fields.Read("namespace", context.ns);
  ReadExtensions(fields, context.extensions);
}

// A list of {name, <kind>: {...}} as a map.
template <typename Entry>
void ReadEntries(const ObjectFields& config, const char* list, const char* kind, std::map<std::string, Entry>& out) {
  config.List(list, [&](const ObjectFields& item) {
    std::string name;
    item.Read("name", name);
    const auto [entry, added] = out.try_emplace(name);
    if (!added) return item.problem().Say(item.path(), "duplicate name \"" + name + "\" in list");
    item.Object(kind, [&](const ObjectFields& fields) { ReadEntry(fields, entry->second); });
  });
}

void ReadConfig(const ObjectFields& fields, Kubeconfig& config) {
  std::string kind = "Config", version = "v1";
  fields.Read("kind", kind);
  fields.Read("apiVersion", version);
  if (kind.empty()) kind = "Config";
  if (version.empty()) version = "v1";
  if (kind != "Config" || version != "v1") {
    return fields.problem().Say(fields.path(),
                                "no kind \"" + kind + "\" is registered for version \"" + version + "\"");
  }
  fields.Object("preferences", [&](const ObjectFields& preferences) {
    preferences.Read("colors", config.colors);
    ReadExtensions(preferences, config.preferences_extensions);
  });
  ReadEntries(fields, "clusters", "cluster", config.clusters);
  ReadEntries(fields, "users", "user", config.users);
  ReadEntries(fields, "contexts", "context", config.contexts);
  fields.Read("current-context", config.current_context);
  ReadExtensions(fields, config.extensions);
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string text) {
  Kubeconfig config;
  FieldProblem problem;
  bool seen = false;
  const auto visit = [&](const api::Document& document) {
    if (std::exchange(seen, true)) return;
    problem.line_of = [&](const api::FieldPath& path) { return document.Locate(path).line; };
    const api::FieldPath root;
    ReadConfig(ObjectFields(document.root(), root, problem), config);
    problem.line_of = nullptr;
    document.EndReading();
  };
  api::Problems problems;
  api::ReadDocumentsFromText(std::move(text), "", visit, problems);
  if (!problem.message.empty()) return Error{std::move(problem.message)};
  if (!seen && !problems.empty()) {
    const api::Problem& first = problems.front();
    const std::string line = first.position.line > 0 ? "line " + std::to_string(first.position.line) + ": " : "";
    return Error{line + first.message};
  }
  return config;
}

}  // namespace ksched::kube
