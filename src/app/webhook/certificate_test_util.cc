#include "app/webhook/certificate_test_util.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <utility>

#include "api/json_values.h"
#include "api/raw_object.h"
#include "kube/kubeconfig_base64.h"

namespace ksched::webhook {
namespace {

using kube::Answer;
using kube::StatusAnswer;

constexpr std::string_view kSecrets = "/api/v1/namespaces/space/secrets";
constexpr std::string_view kConfiguration =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks";

rapidjson::Document Parsed(const std::string& json) {
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  EXPECT_FALSE(document.HasParseError()) << json;
  return document;
}

std::string VersionOf(const std::string& json) {
  return json.empty() ? "" : api::TextAt(Parsed(json), {"metadata", "resourceVersion"});
}

}  // namespace

std::string CertificateServer::secret() const {
  const std::lock_guard lock(mutex_);
  return secret_;
}

std::string CertificateServer::configuration() const {
  const std::lock_guard lock(mutex_);
  std::string webhooks;
  for (const std::string& bundle : bundles_) {
    const std::string member = bundle.empty() ? "" : fmt::format(R"(,"caBundle":"{}")", bundle);
    webhooks += fmt::format(R"({}{{"name":"one","clientConfig":{{"url":"https://a"{}}}}})", webhooks.empty() ? "" : ",",
                            member);
  }
  return fmt::format(R"({{"metadata":{{"name":"hooks","resourceVersion":"{}"}},"webhooks":[{}]}})",
                     configuration_version_, webhooks);
}

StoredCertificates CertificateServer::certificates() const {
  const std::string json = secret();
  return json.empty() ? StoredCertificates() : *ReadSecret(json);
}

std::string CertificateServer::bundle() const { return *BundleOf(configuration()); }

// With the next version.
void CertificateServer::StoreSecret(const std::string& secret) {
  rapidjson::Document json = Parsed(secret);
  auto& allocator = json.GetAllocator();
  json["metadata"].RemoveMember("resourceVersion");
  json["metadata"].AddMember("resourceVersion", rapidjson::Value(NextVersion().c_str(), allocator), allocator);
  secret_ = api::ToJson(json);
}

void CertificateServer::SetCertificates(const StoredCertificates& certificates) {
  const std::lock_guard lock(mutex_);
  StoreSecret(NewSecret("space", "shared", certificates));
}

void CertificateServer::SetBundles(const std::string& first, const std::string& second) {
  const std::lock_guard lock(mutex_);
  bundles_ = {kube::EncodeBase64(first), kube::EncodeBase64(second)};
  configuration_version_ = NextVersion();
}

void CertificateServer::DeleteSecret() {
  const std::lock_guard lock(mutex_);
  secret_.clear();
}

void CertificateServer::DeleteConfiguration() {
  const std::lock_guard lock(mutex_);
  bundles_.clear();
}

std::vector<std::string> CertificateServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void CertificateServer::ForgetRequests() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

void CertificateServer::Forbid(const std::string& request) {
  const std::lock_guard lock(mutex_);
  forbidden_ = request;
}

void CertificateServer::Before(const std::string& request, std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  hooked_ = request;
  hook_ = std::move(call);
}

kube::Reply CertificateServer::Serve(const kube::SeenRequest& request) {
  const bool of_secret = request.target.starts_with(kSecrets);
  const std::string what = request.method + (of_secret ? " secret" : " configuration");
  std::function<void()> hook;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(what);
    if (what == hooked_) hook = std::exchange(hook_, nullptr);
    if (what == forbidden_) return StatusAnswer(403, "Forbidden", what + " is forbidden");
  }
  if (hook) hook();
  return of_secret ? ServeSecret(request) : ServeConfiguration(request);
}

kube::Reply CertificateServer::ServeSecret(const kube::SeenRequest& request) {
  const std::lock_guard lock(mutex_);
  const bool creates = request.method == "POST";
  EXPECT_EQ(request.target, creates ? std::string(kSecrets) : fmt::format("{}/shared", kSecrets));
  if (creates && !secret_.empty()) return StatusAnswer(409, "AlreadyExists", "it exists");
  if (!creates && secret_.empty()) return StatusAnswer(404, "NotFound", "no such secret");
  if (request.method == "GET") return Answer(200, secret_);
  if (!creates && VersionOf(request.body) != VersionOf(secret_)) return StatusAnswer(409, "Conflict", "changed");
  StoreSecret(request.body);
  return Answer(creates ? 201 : 200, secret_);
}

kube::Reply CertificateServer::ServeConfiguration(const kube::SeenRequest& request) {
  EXPECT_EQ(request.target, kConfiguration);
  const std::string now = configuration();
  const std::lock_guard lock(mutex_);
  if (bundles_.empty()) return StatusAnswer(404, "NotFound", "no such configuration");
  if (request.method == "GET") return Answer(200, now);
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.Value("content-type"), "application/json-patch+json");
  const rapidjson::Document patch = Parsed(request.body);
  if (api::TextAt(patch[0], {"value"}) != configuration_version_) return StatusAnswer(409, "Conflict", "changed");
  EXPECT_EQ(patch.Size(), 1 + bundles_.size());
  for (size_t i = 0; i < bundles_.size(); ++i) {
    const auto& operation = patch[static_cast<rapidjson::SizeType>(i + 1)];
    EXPECT_EQ(api::TextAt(operation, {"path"}), fmt::format("/webhooks/{}/clientConfig/caBundle", i));
    bundles_[i] = api::TextAt(operation, {"value"});
  }
  configuration_version_ = NextVersion();
  return Answer(200, now);
}

}  // namespace ksched::webhook
