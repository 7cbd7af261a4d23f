// For tests: an API server with a Secret and a ValidatingWebhookConfiguration, on loopback.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/webhook/certificate_objects.h"
#include "kube/http_test_util.h"

namespace ksched::webhook {

class CertificateServer {
 public:
  // Of two servers of one cluster, so that one can be asked while the other is about to answer.
  std::string url() const { return server_->url(); }
  std::string other_url() const { return other_->url(); }

  // Empty: there is none.
  std::string secret() const;
  std::string configuration() const;
  StoredCertificates certificates() const;
  // Of all webhooks; "": not one that all have.
  std::string bundle() const;

  void SetCertificates(const StoredCertificates& certificates);  // as somebody else does
  void SetBundles(const std::string& first, const std::string& second);
  void DeleteSecret();
  void DeleteConfiguration();

  // "METHOD what", in order: "GET secret", "PATCH configuration".
  std::vector<std::string> requests() const;
  void ForgetRequests();
  // Requests of this kind are forbidden; "": none.
  void Forbid(const std::string& request);
  // Called once before the next request of this kind is answered, as what somebody else does in between.
  void Before(const std::string& request, std::function<void()> call);

 private:
  kube::Reply Serve(const kube::SeenRequest& request);
  kube::Reply ServeSecret(const kube::SeenRequest& request);
  kube::Reply ServeConfiguration(const kube::SeenRequest& request);
  void StoreSecret(const std::string& secret);
  std::string NextVersion() { return std::to_string(++version_); }

  mutable std::mutex mutex_;
  int version_ = 1;
  std::string secret_, configuration_version_ = "1";
  std::vector<std::string> bundles_{"", ""};  // in base64, as they are stored; of each webhook. None: no configuration
  std::vector<std::string> requests_;
  std::string forbidden_, hooked_;
  std::function<void()> hook_;
  const kube::ScriptedServer::Script script_ = [this](const kube::SeenRequest& request, size_t) {
    return Serve(request);
  };
  std::unique_ptr<kube::ScriptedServer> server_ = std::make_unique<kube::ScriptedServer>(script_);
  std::unique_ptr<kube::ScriptedServer> other_ = std::make_unique<kube::ScriptedServer>(script_);
};

}  // namespace ksched::webhook
