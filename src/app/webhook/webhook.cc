#include "app/webhook/webhook.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "app/cli/connection.h"
#include "app/daemon/watch_trouble.h"
#include "app/webhook/certificate_keeper.h"
#include "app/webhook/endpoints.h"
#include "app/webhook/policy_source.h"
#include "app/webhook/review_pool.h"
#include "app/webhook/watched_picture.h"
#include "base/file_limit.h"
#include "base/stop_signal.h"
#include "kube/in_cluster.h"
#include "kube/sigpipe_guard.h"
#include "kube/watch_metrics.h"
#include "serve/self_check.h"
#include "serve/server.h"

namespace ksched::webhook {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTurn{200};
constexpr std::chrono::seconds kHandshakePeriod{10}, kHandshakeTime{2}, kGrace{10};
constexpr size_t kMaxBody = size_t{8} << 20;
constexpr size_t kMostTurnedAway = 256;

class WebhookServer {
 public:
  WebhookServer(const WebhookOptions& options, const cli::Setup& setup, cli::Connection& connection,
                cli::Streams& streams)
      : options_(options),
        setup_(setup),
        client_(*connection.client),
        streams_(streams),
        log_(streams.err, options.log_format, options.verbosity),
        metrics_(registry_),
        policy_source_(options.policy),
        rules_{setup.configuration, setup.features, setup.registry},
        picture_(setup, client_) {
    client_.StopWhen([this] { return stop_.requested(); });
  }
  ~WebhookServer() { client_.StopWhen({}); }
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  int Run() {
    Result<void> started = Prepare();
    if (started) started = StartServer();
    if (!started) {
      streams_.err << "error: " << started.error().message << '\n';
      return cli::kExitUsage;
    }
    while (!stop_.requested()) Turn();
    return Drain();
  }

 private:
  void Log(int32_t level, const std::string& text) { log_.Write(level, text); }

  Result<void> Prepare() {
    auto policy = policy_source_.Load();
    if (!policy) return std::move(policy).error();
    if (auto checked = CheckRules(**policy); !checked) return checked;
    if (auto read = ReadClientAuthorities(); !read) return read;
    return picture_.Start(std::move(*policy));
  }

  // What the judges will be made of can be made: nobody finds that out with the first review.
  Result<void> CheckRules(const Policy& policy) {
    ClusterState empty(cli::ResourceFeaturesOf(setup_.features));
    const auto room = Rehearsal::Create(setup_.configuration, setup_.features, setup_.registry, empty);
    if (!room) return room.error();
    const auto ideal = IdealCluster::Create(rules_, policy, (*room)->scheduler());
    return ideal ? Result<void>() : Result<void>(ideal.error());
  }

  Result<void> ReadClientAuthorities() {
    if (options_.client_ca_file.empty()) return {};
    auto text = PolicySource::ReadText(options_.client_ca_file);
    if (!text) return std::move(text).error().Within("--client-ca-file");
    clients_.emplace();
    if (auto set = clients_->Set(*text); !set) return std::move(set).error().Within("--client-ca-file");
    client_ca_ = std::move(*text);
    return {};
  }

  Result<void> StartServer() {
    if (auto made = MakeIdentity(); !made) return made;
    MakePool();
    EndpointsWorld world{*pool_,        registry_,
                         metrics_,      clients_ ? &*clients_ : nullptr,
                         ReadyChecks(), [this] { return watch_metrics(); }};
    endpoints_.emplace(std::move(world));
    serve::ServerOptions server;
    server.address = options_.address;
    server.port = options_.port;
    server.max_body_bytes = kMaxBody;
    server.max_connections = options_.max_connections;
    server.max_turned_away = kMostTurnedAway;
    auto listening = serve::Server::Listen(std::move(server), *identity_);
    if (!listening) return std::move(listening).error();
    server_ = std::move(*listening);
    server_->Start(*endpoints_);
    Log(0, fmt::format("serving on {}:{}", options_.address, server_->port()));
    return {};
  }

  Result<void> MakeIdentity() {
    if (!options_.makes_certificates()) {
      auto identity = serve::TlsIdentity::FromFiles(options_.cert_dir + "/tls.crt", options_.cert_dir + "/tls.key", {});
      if (!identity) return std::move(identity).error();
      identity_ = std::move(*identity);
      return {};
    }
    // Until the Secret has been read: nobody trusts it, and readiness waits.
    auto identity = serve::SelfSignedIdentity("", "ksched-webhook", {"127.0.0.1"}, {});
    if (!identity) return std::move(identity).error();
    identity_ = std::move(*identity);
    return StartKeeper();
  }

  Result<void> StartKeeper() {
    KeeperOptions keeper;
    keeper.managed.service_ns = options_.service.ns;
    keeper.managed.service = options_.service.name;
    keeper.managed.secret_ns = options_.certificate_secret.ns;
    keeper.managed.secret = options_.certificate_secret.name;
    keeper.managed.configuration = options_.webhook_configuration;
    keeper.tell_trouble = [this](const std::string& text) { Log(0, "warning: " + text); };
    keeper.tell_news = [this](const std::string& text) { Log(0, text); };
    auto started = CertificateKeeper::Start(client_.config(), {.get_env = kube::Environment::OfProcess().get},
                                            *identity_, std::move(keeper));
    if (!started) return std::move(started).error();
    keeper_ = std::move(*started);
    return {};
  }

  void MakePool() {
    const ReviewerOptions reviewer{&rules_, cli::ResourceFeaturesOf(setup_.features), OwnNamespace()};
    const size_t processors = std::max(1u, std::thread::hardware_concurrency());
    const size_t threads = options_.workers == 0 ? processors : options_.workers;
    const auto make = [this, reviewer] { return std::make_unique<ReviewWorker>(reviewer, picture_, metrics_, log_); };
    pool_.emplace(threads, make, metrics_);
  }

  // Outside of a cluster: that of the Service, if there is one.
  std::string OwnNamespace() const {
    const kube::Environment environment = kube::Environment::OfProcess();
    if (kube::IsInCluster(environment)) return kube::InClusterNamespace(environment);
    return options_.service.ns;
  }

  std::vector<serve::HealthCheck> ReadyChecks() {
    return {{"shutdown", [this] { return std::string(stopping_ ? "it is about to stop" : ""); }},
            {"cluster", [this] { return std::string(picture_.synced() ? "" : "the cluster has not been read yet"); }},
            {"certificate",
             [this] {
               const bool ready = keeper_ == nullptr || keeper_->ready();
               return std::string(ready ? "" : "there is no certificate yet that API servers trust");
             }},
            {"handshake", [this] {
               const std::lock_guard lock(mutex_);
               return handshake_trouble_;
             }}};
  }

  // ---- the thread that watches ----

  void Turn() {
    picture_.Turn(kTurn);
    const daemon::LiveEngine& engine = picture_.engine();
    trouble_.Tell(engine.reflectors().statuses());
    if (!picture_.synced()) trouble_.TellForbidden(engine.WhatIsForbidden());
    const auto now = steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + std::chrono::seconds(1);
    LookAtFiles();
    metrics_.CertificateExpires(identity_->ExpiresAt() / kNsPerSecond);
    if (picture_.synced()) metrics_.CacheAge(picture_.Age());
    SetWatchMetrics();
    if (now >= next_handshake_) ShakeHands();
  }

  void LookAtFiles() {
    const auto warn = [this](const std::string& text) { Log(0, "warning: " + text); };
    std::shared_ptr<const Policy> policy;
    const auto look = policy_source_.Look(policy, warn);
    if (look == PolicySource::Check::kNew) {
      const auto checked = CheckRules(*policy);
      metrics_.Reloaded("policy", checked.ok());
      if (!checked) return warn(options_.policy + ": " + checked.error().message);
      picture_.SetPolicy(std::move(policy));
      Log(0, options_.policy + ": the new policy holds");
    }
    if (look == PolicySource::Check::kBad) metrics_.Reloaded("policy", false);
    bool warned = false;
    const bool fresh = identity_->Check([&](const std::string& text) {
      warned = true;
      warn(text);
    });
    if (fresh) Log(0, "a new certificate is served");
    if (fresh || warned) metrics_.Reloaded("certificate", fresh);
    LookAtKeeper();
    LookAtClientAuthorities(warn);
  }

  void LookAtKeeper() {
    if (keeper_ == nullptr) return;
    for (; certificates_taken_ < keeper_->taken(); ++certificates_taken_) metrics_.Reloaded("certificate", true);
  }

  void LookAtClientAuthorities(const std::function<void(const std::string&)>& warn) {
    if (!clients_) return;
    auto text = PolicySource::ReadText(options_.client_ca_file);
    if (!text || *text == client_ca_) return;
    client_ca_ = *text;
    if (auto set = clients_->Set(*text); !set) warn(options_.client_ca_file + ": " + set.error().message);
  }

  // As an API server does, to see what it would see.
  void ShakeHands() {
    next_handshake_ = steady_clock::now() + kHandshakePeriod;
    const auto done = serve::ShakeHands(options_.address, server_->port(), kHandshakeTime);
    const std::string trouble = done ? "" : done.error().message;
    const std::lock_guard lock(mutex_);
    if (trouble != handshake_trouble_ && !trouble.empty()) Log(0, "warning: no handshake with itself: " + trouble);
    handshake_trouble_ = trouble;
    if (!trouble.empty()) next_handshake_ = steady_clock::now() + std::chrono::seconds(1);
  }

  void SetWatchMetrics() {
    const daemon::LiveEngine& engine = picture_.engine();
    std::string text = kube::WatchMetrics(engine.reflectors().statuses(), engine.ledger());
    const std::lock_guard lock(mutex_);
    watch_metrics_ = std::move(text);
  }
  std::string watch_metrics() {
    const std::lock_guard lock(mutex_);
    return watch_metrics_;
  }

  // First nobody is sent here any more, then what has come is answered.
  int Drain() {
    Log(0, "about to stop");
    stopping_ = true;
    client_.StopWhen({});
    const auto end = steady_clock::now() + options_.shutdown_delay;
    while (steady_clock::now() < end) picture_.Turn(kTurn);
    server_->Stop(kGrace);
    pool_.reset();
    Log(0, "stopped");
    streams_.err.flush();
    return cli::kExitSuccess;
  }

  const WebhookOptions& options_;
  const cli::Setup& setup_;
  kube::HttpClient& client_;
  cli::Streams& streams_;
  daemon::Logger log_;
  const kube::SigpipeGuard output_;
  StopSignal stop_;
  serve::Registry registry_;
  WebhookMetrics metrics_;
  PolicySource policy_source_;
  const SchedulingRules rules_;
  WatchedPicture picture_;
  daemon::WatchTrouble trouble_{log_};
  std::optional<serve::Authorities> clients_;
  std::string client_ca_;
  std::unique_ptr<serve::TlsIdentity> identity_;
  std::unique_ptr<CertificateKeeper> keeper_;
  uint64_t certificates_taken_ = 0;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // of the two texts that other threads read
  std::string handshake_trouble_ = "not tried yet", watch_metrics_;
  std::optional<ReviewPool> pool_;
  std::optional<Endpoints> endpoints_;
  std::unique_ptr<serve::Server> server_;  // ends before what it serves
  steady_clock::time_point next_look_, next_handshake_;
};

}  // namespace

int Webhook(const WebhookOptions& options, cli::Streams& streams) {
  const auto setup = cli::MakeSetup(options.config, options.feature_gates);
  if (!setup) {
    cli::PrintErrors({setup.error().message}, streams);
    return cli::kExitUsage;
  }
  auto connection = cli::Connect(options.connection, /*stdin_in_use=*/false);
  if (!connection) {
    cli::PrintErrors({connection.error().message}, streams);
    return cli::kExitCluster;
  }
  RaiseFileLimit();  // thousands of connections need a descriptor each
  return WebhookServer(options, *setup, *connection, streams).Run();
}

}  // namespace ksched::webhook
