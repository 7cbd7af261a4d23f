#include "kube/kubeconfig_json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "kube/credentials_file.h"
#include "kube/kubeconfig_base64.h"

namespace ksched::kube {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Text(Writer& writer, const std::string& text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void Key(Writer& writer, const std::string& name) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void Field(Writer& writer, const char* name, const std::string& value) {
  writer.Key(name);
  Text(writer, value);
}

void IfSet(Writer& writer, const char* name, const std::string& value) {
  if (!value.empty()) Field(writer, name, value);
}

void IfSet(Writer& writer, const char* name, bool value) {
  if (!value) return;
  writer.Key(name);
  writer.Bool(true);
}

void Texts(Writer& writer, const std::vector<std::string>& texts) {
  writer.StartArray();
  for (const std::string& text : texts) Text(writer, text);
  writer.EndArray();
}

void Extensions(Writer& writer, const KubeconfigExtensions& extensions) {
  if (extensions.empty()) return;
  writer.Key("extensions");
  writer.StartArray();
  for (const auto& [name, json] : extensions) {
    writer.StartObject();
    Field(writer, "name", name);
    writer.Key("extension");
    writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
    writer.EndObject();
  }
  writer.EndArray();
}

void Entry(Writer& writer, const KubeconfigCluster& cluster) {
  Field(writer, "server", cluster.server);
  IfSet(writer, "tls-server-name", cluster.tls_server_name);
  IfSet(writer, "insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  IfSet(writer, "certificate-authority", cluster.certificate_authority);
  IfSet(writer, "certificate-authority-data", EncodeBase64(cluster.certificate_authority_data));
  IfSet(writer, "proxy-url", cluster.proxy_url);
  IfSet(writer, "disable-compression", cluster.disable_compression);
  Extensions(writer, cluster.extensions);
}

void Exec(Writer& writer, const KubeconfigExec& exec) {
  writer.Key("exec");
  writer.StartObject();
  Field(writer, "command", exec.command);
  writer.Key("args");
  if (exec.args.empty()) {
    writer.Null();
  } else {
    Texts(writer, exec.args);
  }
  writer.Key("env");
  if (exec.env.empty()) {
    writer.Null();
  } else {
    writer.StartArray();
    for (const auto& [name, value] : exec.env) {
      writer.StartObject();
      Field(writer, "name", name);
      Field(writer, "value", value);
      writer.EndObject();
    }
    writer.EndArray();
  }
  IfSet(writer, "apiVersion", exec.api_version);
  IfSet(writer, "installHint", exec.install_hint);
  writer.Key("provideClusterInfo");
  writer.Bool(exec.provide_cluster_info);
  IfSet(writer, "interactiveMode", exec.interactive_mode);
  writer.EndObject();
}

void AuthProvider(Writer& writer, const KubeconfigAuthProvider& provider) {
  writer.Key("auth-provider");
  writer.StartObject();
  Field(writer, "name", provider.name);
  writer.Key("config");
  if (provider.config.empty()) {
    writer.Null();
  } else {
    writer.StartObject();
    for (const auto& [key, value] : provider.config) {
      Key(writer, key);
      Text(writer, value);
    }
    writer.EndObject();
  }
  writer.EndObject();
}

void Impersonated(Writer& writer, const KubeconfigUser& user) {
  IfSet(writer, "as", user.as);
  IfSet(writer, "as-uid", user.as_uid);
  if (!user.as_groups.empty()) {
    writer.Key("as-groups");
    Texts(writer, user.as_groups);
  }
  if (user.as_user_extra.empty()) return;
  writer.Key("as-user-extra");
  writer.StartObject();
  for (const auto& [key, values] : user.as_user_extra) {
    Key(writer, key);
    Texts(writer, values);
  }
  writer.EndObject();
}

void Entry(Writer& writer, const KubeconfigUser& user) {
  IfSet(writer, "client-certificate", user.client_certificate);
  IfSet(writer, "client-certificate-data", EncodeBase64(user.client_certificate_data));
  IfSet(writer, "client-key", user.client_key);
  IfSet(writer, "client-key-data", EncodeBase64(user.client_key_data));
  IfSet(writer, "token", user.token);
  IfSet(writer, "tokenFile", user.token_file);
  Impersonated(writer, user);
  IfSet(writer, "username", user.username);
  IfSet(writer, "password", user.password);
  if (user.auth_provider) AuthProvider(writer, *user.auth_provider);
  if (user.exec) Exec(writer, *user.exec);
  Extensions(writer, user.extensions);
}

void Entry(Writer& writer, const KubeconfigContext& context) {
  Field(writer, "cluster", context.cluster);
  Field(writer, "user", context.user);
  IfSet(writer, "namespace", context.ns);
  Extensions(writer, context.extensions);
}

template <typename T>
void Entries(Writer& writer, const char* list, const char* kind, const std::map<std::string, T>& entries) {
  writer.Key(list);
  if (entries.empty()) {
    writer.Null();
    return;
  }
  writer.StartArray();
  for (const auto& [name, entry] : entries) {
    writer.StartObject();
    Field(writer, "name", name);
    writer.Key(kind);
    writer.StartObject();
    Entry(writer, entry);
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

Result<void> Flatten(std::string& path, std::string& data) {
  if (path.empty()) return {};
  if (!data.empty()) return Error{"cannot have values for both path and contents"};
  Result<std::string> content = ReadWholeFile(path);
  if (!content) return std::move(content).error();
  data = std::move(*content);
  path.clear();
  return {};
}

}  // namespace

Result<void> FlattenKubeconfig(Kubeconfig& config) {
  for (auto& [name, user] : config.users) {
    if (Result<void> done = Flatten(user.client_certificate, user.client_certificate_data); !done) return done;
    if (Result<void> done = Flatten(user.client_key, user.client_key_data); !done) return done;
  }
  for (auto& [name, cluster] : config.clusters) {
    if (Result<void> done = Flatten(cluster.certificate_authority, cluster.certificate_authority_data); !done)
      return done;
  }
  return {};
}

std::string RenderKubeconfig(const Kubeconfig& config) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  Field(writer, "kind", "Config");
  Field(writer, "apiVersion", "v1");
  if (config.colors || !config.preferences_extensions.empty()) {
    writer.Key("preferences");
    writer.StartObject();
    IfSet(writer, "colors", config.colors);
    Extensions(writer, config.preferences_extensions);
    writer.EndObject();
  }
  Entries(writer, "clusters", "cluster", config.clusters);
  Entries(writer, "users", "user", config.users);
  Entries(writer, "contexts", "context", config.contexts);
  Field(writer, "current-context", config.current_context);
  Extensions(writer, config.extensions);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace ksched::kube
