// The certificates of a webhook that nobody has to care for: an authority and what it signs for the webhook's Service,
// in a Secret that all replicas share, and the bundle that a ValidatingWebhookConfiguration trusts. Each replica looks
// at both every few seconds, and whoever sees first that something is due writes it; of several one wins.
//
// The bundle is written only over a version of the configuration that was read before the Secret was, so that nobody
// puts an older bundle in the place of a newer one.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "app/webhook/certificate_plan.h"
#include "base/clock.h"
#include "base/result.h"
#include "kube/http_client.h"

namespace ksched::webhook {

struct ManagedOptions {
  std::string service_ns, service;
  std::string secret_ns, secret;
  std::string configuration;  // the ValidatingWebhookConfiguration
  // So long a bundle has to be there before a certificate of its new authority is: API servers hear of it by a watch.
  std::chrono::seconds settle{60};
};

// SERVICE, SERVICE.NS, SERVICE.NS.svc and SERVICE.NS.svc.cluster.local.
std::vector<std::string> NamesOfService(const std::string& ns, const std::string& service);

// Not for several threads at once.
class ManagedCertificates {
 public:
  // client and clocks are borrowed; `steady` is one that nobody sets.
  ManagedCertificates(kube::HttpClient& client, const Clock& steady, const Clock& wall, ManagedOptions options);

  // Looks at Secret and configuration, and does what is due. The error says all that could not be done; what could be
  // has been.
  Result<void> Round();

  // What is to be served; empty: it has not been seen yet.
  const serve::CertificatePair& serving() const { return known_.serving; }

 private:
  struct Found {
    std::string configuration;  // empty: it could not be read, or is not there
    std::string secret;         // empty: there is none
    std::vector<std::string> troubles;
  };
  // False: somebody else wrote in between.
  bool Try(Found& found);
  bool Store(const Found& found, StoredCertificates& stored, std::vector<std::string>& troubles);
  bool Publish(const Found& found, std::vector<std::string>& troubles);
  void Look(Found& found);
  Result<StoredCertificates> Stored(Found& found);
  kube::HttpResponse Ask(std::string_view method, std::string target, std::string body = "",
                         std::string_view type = kube::kJsonType);
  void Saw(std::string bundle);
  bool Trusts(const std::string& bundle) const;

  std::string SecretsPath() const;
  std::string ConfigurationPath() const;

  kube::HttpClient& client_;
  const Clock &steady_, &wall_;
  const ManagedOptions options_;
  const CertificateNeeds needs_;
  StoredCertificates known_;  // as they were seen last
  std::string seen_bundle_;   // in the configuration; empty: none that all webhooks have
  TimeNs seen_since_ = 0;
};

}  // namespace ksched::webhook
