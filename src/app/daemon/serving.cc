#include "app/daemon/serving.h"

#include <fmt/format.h>

#include <utility>

#include "kube/in_cluster.h"
#include "serve/status_answer.h"

namespace ksched::daemon {
namespace {

constexpr TimeNs kLeaseTolerance = 20 * kNsPerSecond;
constexpr std::chrono::seconds kGrace{5};

// What asks for reviews: a kubeconfig's cluster, or the one that this runs in. Null: there is none.
Result<std::unique_ptr<serve::ReviewClient>> MakeClient(const std::string& kubeconfig, const std::string& flag) {
  const kube::Environment environment = kube::Environment::OfProcess();
  kube::ClientOptions options;
  options.kubeconfig = kubeconfig;
  if (kubeconfig.empty() && !kube::IsInCluster(environment)) return std::unique_ptr<serve::ReviewClient>();
  auto config =
      kubeconfig.empty() ? kube::InClusterConfig(options, environment) : kube::LoadClientConfig(options, environment);
  if (!config) return std::move(config).error().Within("--" + flag);
  return serve::ReviewClient::Create(std::move(*config), {.get_env = environment.get});
}

}  // namespace

std::string LiveState::LeaseTrouble(const std::string& lease) const {
  const int64_t until = leads_until_;
  if (until == 0 || steady_.Now() <= until + kLeaseTolerance) return "";
  return "failed election to renew leadership on lease " + lease;
}

void LiveState::SetText(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

std::string LiveState::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

class Serving::Endpoints final : public serve::Handler {
 public:
  explicit Endpoints(ServedThings things) : things_(std::move(things)) {
    const serve::HealthCheck lease{"leaderElection", [this] { return things_.state.LeaseTrouble(things_.lease); }};
    std::vector<serve::HealthCheck> health, ready;
    if (!things_.lease.empty()) {
      health.push_back(lease);
      ready.push_back(lease);
    }
    ready.push_back(
        {"shutdown", [this] { return std::string(things_.state.stopping ? "process is shutting down" : ""); }});
    ready.push_back({"sched-handler-sync", [this] {
                       return std::string(things_.state.synced ? "" : "handlers are not fully synchronized");
                     }});
    if (health.empty()) health.push_back(serve::Ping());
    pages_ = {{"healthz", std::move(health)}, {"livez", {serve::Ping()}}, {"readyz", std::move(ready)}};
  }

  // Also called in the threads of reviews: nothing here changes.
  void Handle(serve::Request request, serve::Respond respond) override { respond(Answer(request)); }

 private:
  serve::Response Answer(const serve::Request& request) const {
    if (request.path == "/metrics") return serve::AnswerMetrics(things_.metrics, things_.state.text(), request);
    if (request.path == "/configz") {
      return {200, {{"Content-Type", "application/json"}}, "{\"componentconfig\":" + things_.configuration + "}\n"};
    }
    for (const auto& [page, checks] : pages_) {
      if (request.path == "/" + page) return serve::AnswerHealth(page, checks, request);
      for (const serve::HealthCheck& check : checks) {
        if (request.path == "/" + page + "/" + check.name) return serve::AnswerCheck(check);
      }
    }
    return serve::NotFound();
  }

  const ServedThings things_;
  std::map<std::string, std::vector<serve::HealthCheck>> pages_;
};

Serving::Serving(Logger& log) : log_(log) {}

Result<std::unique_ptr<Serving>> Serving::Start(const ServingOptions& options, ServedThings things, Logger& log) {
  std::unique_ptr<Serving> serving(new Serving(log));
  serving->endpoints_ = std::make_unique<Endpoints>(std::move(things));
  auto started = serving->StartReviews(options);
  if (started) started = serving->StartServer(options);
  if (!started) return std::move(started).error();
  return serving;
}

Result<void> Serving::StartReviews(const ServingOptions& options) {
  auto tokens = MakeClient(options.authentication_kubeconfig, "authentication-kubeconfig");
  if (!tokens) return std::move(tokens).error();
  token_client_ = std::move(*tokens);
  auto accesses = MakeClient(options.authorization_kubeconfig, "authorization-kubeconfig");
  if (!accesses) return std::move(accesses).error();
  access_client_ = std::move(*accesses);
  authenticator_ = std::make_unique<serve::Authenticator>(options.authentication, token_client_.get());
  const auto warn = [this](const std::string& text) { log_.Write(0, "warning: " + text); };
  if (auto loaded = authenticator_->Load(warn); !loaded) return loaded;
  if (access_client_ == nullptr) {
    warn("there is no --authorization-kubeconfig, so that only open paths and members of system:masters are served");
  }
  auto authorizer = serve::Authorizer::Create(options.authorization, access_client_.get());
  if (!authorizer) return std::move(authorizer).error();
  authorizer_ = std::move(*authorizer);
  guard_ = std::make_unique<serve::Guard>(*authenticator_, *authorizer_, *endpoints_,
                                          [this](const std::string& text) { log_.Write(1, "warning: " + text); });
  return {};
}

Result<void> Serving::StartServer(const ServingOptions& options) {
  auto identity =
      options.certificate_file.empty()
          ? serve::SelfSignedIdentity(options.certificate_folder, "kube-scheduler", {"127.0.0.1"}, options.tls)
          : serve::TlsIdentity::FromFiles(options.certificate_file, options.key_file, options.tls);
  if (!identity) return std::move(identity).error();
  identity_ = std::move(*identity);
  serve::ServerOptions server;
  server.address = options.bind_address;
  server.port = options.port;
  server.share_port = options.share_port;
  server.every_second = [this] {
    const auto warn = [this](const std::string& text) { log_.Write(0, "warning: " + text); };
    if (identity_->Check(warn)) log_.Write(0, "a new certificate is served");
    authenticator_->Check(warn);
  };
  auto listening = serve::Server::Listen(std::move(server), *identity_);
  if (!listening) return std::move(listening).error();
  server_ = std::move(*listening);
  server_->Start(*guard_);
  log_.Write(0, fmt::format("serving securely on {}:{}", options.bind_address, server_->port()));
  return {};
}

Serving::~Serving() {
  if (server_ != nullptr) server_->Stop(kGrace);
}

}  // namespace ksched::daemon
