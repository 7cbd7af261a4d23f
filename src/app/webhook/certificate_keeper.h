// Keeps a server's certificate as ManagedCertificates says, in a thread of its own: an API server that hangs keeps
// nobody else waiting.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/webhook/managed_certificates.h"
#include "kube/backoff.h"
#include "serve/tls.h"

namespace ksched::webhook {

struct KeeperOptions {
  ManagedOptions managed;
  std::chrono::milliseconds period{10'000};                                // between looks
  kube::BackoffOptions backoff{.first = std::chrono::milliseconds(1000)};  // after failures
  // Both are called in the keeper's thread. Trouble is told once until it changes or ends.
  std::function<void(const std::string&)> tell_trouble, tell_news;
};

class CertificateKeeper {
 public:
  // Begins at once. `identity` is borrowed; until ready() it goes on with what it has. Fails as HttpClient::Create
  // does.
  static Result<std::unique_ptr<CertificateKeeper>> Start(kube::ClientConfig config,
                                                          const kube::HttpClientOptions& client_options,
                                                          serve::TlsIdentity& identity, KeeperOptions options);
  ~CertificateKeeper();  // a request that is on its way is dropped

  // Whether a certificate of the Secret is served.
  bool ready() const { return ready_; }
  // How often a certificate was taken into use.
  uint64_t taken() const { return taken_; }

 private:
  CertificateKeeper(std::unique_ptr<kube::HttpClient> client, serve::TlsIdentity& identity, KeeperOptions options);
  void Run();
  void TellIfNew(const std::string& trouble);
  Result<void> Use(const serve::CertificatePair& pair);
  void Wait(std::chrono::milliseconds duration);

  std::unique_ptr<kube::HttpClient> client_;  // of the thread
  serve::TlsIdentity& identity_;
  const KeeperOptions options_;
  serve::CertificatePair used_;
  std::string told_;
  std::atomic<bool> ready_ = false, stopping_ = false;
  std::atomic<uint64_t> taken_ = 0;
  std::mutex mutex_;
  std::condition_variable stop_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace ksched::webhook
