#include "app/webhook/certificate_keeper.h"

#include <utility>

#include "api/json_values.h"
#include "base/block_signals.h"
#include "kube/boot_clock.h"

namespace ksched::webhook {

Result<std::unique_ptr<CertificateKeeper>> CertificateKeeper::Start(kube::ClientConfig config,
                                                                    const kube::HttpClientOptions& client_options,
                                                                    serve::TlsIdentity& identity,
                                                                    KeeperOptions options) {
  auto client = kube::HttpClient::Create(std::move(config), client_options);
  if (!client) return std::move(client).error();
  return std::unique_ptr<CertificateKeeper>(new CertificateKeeper(std::move(*client), identity, std::move(options)));
}

CertificateKeeper::CertificateKeeper(std::unique_ptr<kube::HttpClient> client, serve::TlsIdentity& identity,
                                     KeeperOptions options)
    : client_(std::move(client)), identity_(identity), options_(std::move(options)), thread_([this] { Run(); }) {}

CertificateKeeper::~CertificateKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void CertificateKeeper::Run() {
  BlockSignals();
  client_->StopWhen([this] { return stopping_.load(); });
  const kube::BootClock steady;
  const SystemClock wall;
  ManagedCertificates certificates(*client_, steady, wall, options_.managed);
  kube::Backoff backoff(options_.backoff);
  Rng rng(static_cast<uint64_t>(wall.Now()));  // replicas begin together, and had better not go on so
  while (!stopping_) {
    auto done = certificates.Round();
    if (stopping_) return;
    if (auto used = Use(certificates.serving()); !used && done) done = std::move(used);
    TellIfNew(done ? "" : done.error().message);
    if (done) {
      backoff.Reset();
      Wait(options_.period);
    } else {
      Wait(backoff.Next(std::chrono::steady_clock::now(), rng));
    }
  }
}

Result<void> CertificateKeeper::Use(const serve::CertificatePair& pair) {
  if (pair.certificate_pem.empty() || pair == used_) return {};
  if (auto replaced = identity_.Replace(pair); !replaced)
    return std::move(replaced).error().Within("the Secret's certificate");
  used_ = pair;
  ready_ = true;
  ++taken_;
  options_.tell_news("a certificate of the Secret is served, which is good until " +
                     api::FormatTime(identity_.ExpiresAt()));
  return {};
}

void CertificateKeeper::TellIfNew(const std::string& trouble) {
  if (trouble == told_) return;
  told_ = trouble;
  if (trouble.empty()) {
    options_.tell_news("the certificates are kept again");
  } else {
    options_.tell_trouble("certificates: " + trouble);
  }
}

void CertificateKeeper::Wait(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  stop_.wait_for(lock, duration, [this] { return stopping_.load(); });
}

}  // namespace ksched::webhook
