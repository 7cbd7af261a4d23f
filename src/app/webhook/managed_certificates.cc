#include "app/webhook/managed_certificates.h"

#include <fmt/format.h>

#include <utility>

#include "app/webhook/certificate_objects.h"
#include "kube/resources.h"

namespace ksched::webhook {
namespace {

constexpr int kConflict = 409;  // AlreadyExists, too
constexpr int kTries = 5;       // each of them lost against another writer
constexpr std::chrono::seconds kTimeout{10};

bool IsConflict(const kube::HttpResponse& response) { return response.error && response.error->status == kConflict; }

}  // namespace

std::vector<std::string> NamesOfService(const std::string& ns, const std::string& service) {
  const std::string name = service + "." + ns;
  return {service, name, name + ".svc", name + ".svc.cluster.local"};
}

ManagedCertificates::ManagedCertificates(kube::HttpClient& client, const Clock& steady, const Clock& wall,
                                         ManagedOptions options)
    : client_(client),
      steady_(steady),
      wall_(wall),
      options_(std::move(options)),
      needs_{.names = NamesOfService(options_.service_ns, options_.service)} {}

std::string ManagedCertificates::SecretsPath() const {
  return fmt::format("/api/v1/namespaces/{}/secrets", kube::EscapeUrl(options_.secret_ns));
}

std::string ManagedCertificates::ConfigurationPath() const {
  return "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/" +
         kube::EscapeUrl(options_.configuration);
}

kube::HttpResponse ManagedCertificates::Ask(std::string_view method, std::string target, std::string body,
                                            std::string_view type) {
  kube::HttpRequest request{.method = std::string(method), .target = std::move(target), .body = std::move(body)};
  if (!request.body.empty()) request.content_type = type;
  request.timeout = kTimeout;
  return client_.Perform(std::move(request));
}

Result<void> ManagedCertificates::Round() {
  for (int i = 0; i < kTries; ++i) {
    Found found;
    if (!Try(found)) continue;
    if (found.troubles.empty()) return {};
    return Error{fmt::format("{}", fmt::join(found.troubles, "; "))};
  }
  return Error{
      fmt::format("the Secret {}/{} and the ValidatingWebhookConfiguration {} are written by others all the time",
                  options_.secret_ns, options_.secret, options_.configuration)};
}

bool ManagedCertificates::Try(Found& found) {
  Look(found);
  auto stored = Stored(found);
  if (!stored) {
    found.troubles.push_back(stored.error().message);
    return true;
  }
  if (!Store(found, *stored, found.troubles)) return false;
  if (!serve::CheckPair(stored->serving)) return true;  // the trouble has been told
  known_ = std::move(*stored);
  return Publish(found, found.troubles);
}

void ManagedCertificates::Look(Found& found) {
  kube::HttpResponse response = Ask("GET", ConfigurationPath());
  Result<std::string> bundle = response.ok() ? BundleOf(response.body) : response.error->ToError();
  if (bundle) found.configuration = std::move(response.body);
  if (response.error && response.error->kind == kube::ErrorKind::kNotFound) {
    bundle = Error{fmt::format("there is no ValidatingWebhookConfiguration {}, so that nobody asks this webhook",
                               options_.configuration)};
  }
  if (!bundle) found.troubles.push_back(bundle.error().message);
  Saw(bundle ? std::move(*bundle) : std::string());
}

void ManagedCertificates::Saw(std::string bundle) {
  if (bundle == seen_bundle_) return;
  seen_bundle_ = std::move(bundle);
  seen_since_ = steady_.Now();
}

bool ManagedCertificates::Trusts(const std::string& bundle) const {
  return !bundle.empty() && bundle == seen_bundle_ &&
         steady_.Now() - seen_since_ >= options_.settle.count() * kNsPerSecond;
}

Result<StoredCertificates> ManagedCertificates::Stored(Found& found) {
  kube::HttpResponse response = Ask("GET", SecretsPath() + "/" + kube::EscapeUrl(options_.secret));
  if (response.ok()) {
    found.secret = std::move(response.body);
    return ReadSecret(found.secret);
  }
  if (response.error->kind != kube::ErrorKind::kNotFound) return response.error->ToError();
  // Whoever deletes it wants another authority. What is served goes on until that one is trusted.
  StoredCertificates stored = known_;
  stored.authority.key_pem.clear();
  return stored;
}

bool ManagedCertificates::Store(const Found& found, StoredCertificates& stored, std::vector<std::string>& troubles) {
  auto renewed = Renew(stored, needs_, wall_.Now(), Trusts(stored.Bundle()));
  if (!renewed) troubles.push_back(renewed.error().message);
  if (!renewed || !*renewed) return true;
  const kube::HttpResponse written =
      found.secret.empty()
          ? Ask("POST", SecretsPath(), NewSecret(options_.secret_ns, options_.secret, **renewed))
          : Ask("PUT", SecretsPath() + "/" + kube::EscapeUrl(options_.secret), SecretWith(found.secret, **renewed));
  if (IsConflict(written)) return false;
  if (written.ok()) {
    stored = std::move(**renewed);
  } else {
    troubles.push_back(written.error->message);
    // What could not be stored is nobody's: the others would not know it.
    if (found.secret.empty()) stored = known_;
  }
  return true;
}

bool ManagedCertificates::Publish(const Found& found, std::vector<std::string>& troubles) {
  const std::string bundle = known_.Bundle();
  if (found.configuration.empty() || bundle == seen_bundle_) return true;
  const kube::HttpResponse patched =
      Ask("PATCH", ConfigurationPath(), BundlePatch(found.configuration, bundle), "application/json-patch+json");
  if (IsConflict(patched)) return false;
  if (patched.ok()) {
    Saw(bundle);
  } else {
    troubles.push_back(patched.error->message);
  }
  return true;
}

}  // namespace ksched::webhook
