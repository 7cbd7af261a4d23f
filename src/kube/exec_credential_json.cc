#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "api/document.h"
#include "api/json_values.h"
#include "kube/exec_credential.h"
#include "kube/kubeconfig_base64.h"
#include "kube/kubeconfig_fields.h"

namespace ksched::kube {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Write(Writer& writer, const char* name, const std::string& value) {
  writer.Key(name);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void WriteIfSet(Writer& writer, const char* name, const std::string& value) {
  if (!value.empty()) Write(writer, name, value);
}

void WriteIfSet(Writer& writer, const char* name, bool value) {
  if (!value) return;
  writer.Key(name);
  writer.Bool(true);
}

void WriteCluster(Writer& writer, const ExecCluster& cluster) {
  writer.Key("cluster");
  writer.StartObject();
  Write(writer, "server", cluster.server);
  WriteIfSet(writer, "tls-server-name", cluster.tls_server_name);
  WriteIfSet(writer, "insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  WriteIfSet(writer, "certificate-authority-data", EncodeBase64(cluster.ca_pem));
  WriteIfSet(writer, "proxy-url", cluster.proxy_url);
  WriteIfSet(writer, "disable-compression", cluster.disable_compression);
  writer.Key("config");
  writer.RawValue(cluster.config.data(), cluster.config.size(), rapidjson::kObjectType);
  writer.EndObject();
}

// Go writes these characters so. In JSON they stand in strings only.
std::string EscapeAsGo(std::string_view json) {
  std::string escaped;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      escaped += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Result<void> CheckKind(const ObjectFields& fields, const std::string& wanted_version) {
  std::string kind, version;
  fields.Read("kind", kind);
  fields.Read("apiVersion", version);
  if (!fields.problem().message.empty()) return Error{"decoding stdout: " + fields.problem().message};
  if (kind.empty()) return Error{"decoding stdout: Object 'Kind' is missing"};
  if (version.empty()) return Error{"decoding stdout: Object 'apiVersion' is missing"};
  const bool known = version == "client.authentication.k8s.io/v1" || version == "client.authentication.k8s.io/v1beta1";
  if (kind != "ExecCredential" || !known) {
    return Error{"decoding stdout: no kind \"" + kind + "\" is registered for version \"" + version + "\""};
  }
  if (version != wanted_version) {
    return Error{"exec plugin is configured to use API version " + wanted_version + ", plugin returned version " +
                 version};
  }
  return {};
}

void ReadStatus(const ObjectFields& status, ExecAnswer& answer) {
  status.Read("token", answer.credential.bearer_token);
  status.Read("clientCertificateData", answer.credential.client_certificate_pem);
  status.Read("clientKeyData", answer.credential.client_key_pem);
  std::string expires;
  status.Read("expirationTimestamp", expires);
  if (expires.empty()) return;
  const std::optional<api::TimeNs> time = api::ParseTime(expires);
  if (!time) return status.problem().Say(status.path().Child("expirationTimestamp"), "must be a time as in RFC 3339");
  answer.expires = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(*time)));
}

Result<ExecAnswer> ReadAnswer(const rapidjson::Value& root, const std::string& api_version) {
  const api::FieldPath path;
  FieldProblem problem;
  const ObjectFields fields(root, path, problem);
  if (Result<void> checked = CheckKind(fields, api_version); !checked) return checked.error();
  ExecAnswer answer;
  bool has_status = false;
  fields.Object("status", [&](const ObjectFields& status) {
    has_status = true;
    ReadStatus(status, answer);
  });
  if (!problem.message.empty()) return Error{"decoding stdout: " + problem.message};
  if (!has_status) return Error{"exec plugin didn't return a status field"};
  const Credential& credential = answer.credential;
  const bool has_certificate = !credential.client_certificate_pem.empty(), has_key = !credential.client_key_pem.empty();
  if (credential.bearer_token.empty() && !has_certificate && !has_key) {
    return Error{"exec plugin didn't return a token or cert/key pair"};
  }
  if (has_certificate != has_key) return Error{"exec plugin returned only certificate or key, not both"};
  return answer;
}

}  // namespace

std::string ExecInfo(const std::string& api_version, bool interactive, const ExecCluster* cluster) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  Write(writer, "kind", "ExecCredential");
  Write(writer, "apiVersion", api_version);
  writer.Key("spec");
  writer.StartObject();
  if (cluster != nullptr) WriteCluster(writer, *cluster);
  writer.Key("interactive");
  writer.Bool(interactive);
  writer.EndObject();
  writer.EndObject();
  return EscapeAsGo({buffer.GetString(), buffer.GetSize()}) + "\n";
}

Result<ExecAnswer> ParseExecAnswer(std::string output, const std::string& api_version) {
  std::optional<Result<ExecAnswer>> answer;
  api::Problems problems;
  const auto visit = [&](const api::Document& document) {
    if (!answer) answer = ReadAnswer(document.root(), api_version);
    document.EndReading();
  };
  api::ReadDocumentsFromText(std::move(output), "", visit, problems);
  if (answer) return *std::move(answer);
  if (problems.empty()) return Error{"decoding stdout: Object 'Kind' is missing"};
  return Error{"decoding stdout: no object in JSON or YAML (line " + std::to_string(problems[0].position.line) + ")"};
}

}  // namespace ksched::kube
