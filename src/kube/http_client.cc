#include "kube/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kube/ca_bundle.h"
#include "kube/http_attempt.h"
#include "kube/retry.h"
#include "kube/sigpipe_guard.h"
#include "kube/tls_setup.h"

namespace ksched::kube {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A request until its OnDone: its attempts, one after the other.
struct Job {
  HttpRequest request;
  ResponseHandler* handler = nullptr;  // null: cancelled
  SteadyClock::time_point due;         // of the next attempt, when none runs
  std::optional<SteadyClock::time_point> deadline;
  std::unique_ptr<HttpAttempt> attempt;
  RetryCount retries;
  bool refreshed = false;
};

}  // namespace

class HttpClient::Loop {
 public:
  Loop(HttpSettings settings, HttpClientOptions options)
      : settings_(std::move(settings)), options_(std::move(options)), multi_(NewMulti()) {}
  ~Loop() {
    const SigpipeGuard guard;  // saying good-bye writes, too
    for (auto& [id, job] : jobs_) Detach(job);
    multi_.reset();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Result<void> Prepare() {
    if (!multi_) return Error{"no memory for a client of the API server"};
    return {};
  }

  RequestId Add(milliseconds delay, HttpRequest request, ResponseHandler& handler) {
    Job job{.request = std::move(request), .handler = &handler, .due = SteadyClock::now() + delay};
    const milliseconds timeout = job.request.timeout.value_or(settings_.config.request_timeout);
    if (timeout.count() > 0) job.deadline = job.due + timeout;
    jobs_.emplace(++last_id_, std::move(job));
    return last_id_;
  }

  void Cancel(RequestId id) {
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    found->second.handler = nullptr;
    if (found->second.attempt) found->second.attempt->Mute();
    if (!inside_) Sweep();
  }

  void Poll(milliseconds max_wait) {
    const SigpipeGuard guard;  // OpenSSL writes without MSG_NOSIGNAL
    const bool called = StartDue();
    if (jobs_.empty() && !timers_.next()) return;
    const milliseconds wait = called ? milliseconds(0) : Wait(max_wait);
    curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(wait.count()), nullptr);
    RunTimers();  // a process that was paused here first hears that, before it sends what it had begun
    Move();
  }

  Timers& timers() { return timers_; }
  void DropConnections() { drop_ = true; }

  bool idle() const { return jobs_.empty(); }
  const ClientConfig& config() const { return settings_.config; }
  const HttpCounters& counters() const { return counters_; }

 private:
  struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  };

  static std::unique_ptr<CURLM, MultiDeleter> NewMulti() {
    std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
    if (multi) curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    return multi;
  }

  // Until the next thing is due.
  milliseconds Wait(milliseconds max_wait) const {
    const auto now = SteadyClock::now();
    milliseconds wait = max_wait;
    const auto shorten = [&](SteadyClock::time_point due) {
      wait = std::clamp(std::chrono::ceil<milliseconds>(due - now), milliseconds(0), wait);
    };
    for (const auto& [id, job] : jobs_) {
      if (!job.attempt) shorten(job.due);
    }
    if (const auto due = timers_.next()) shorten(*due);
    if (drop_) shorten(now);
    return wait;
  }

  void RunTimers() {
    inside_ = true;
    const bool called = timers_.RunDue(SteadyClock::now());
    inside_ = false;
    if (called) Sweep();
  }

  // Whether anybody was called.
  bool StartDue() {
    inside_ = true;
    bool called = timers_.RunDue(SteadyClock::now());
    if (std::exchange(drop_, false)) called = BreakConnections() || called;
    std::vector<RequestId> due;
    for (const auto& [id, job] : jobs_) {
      if (!job.attempt && job.handler != nullptr && job.due <= SteadyClock::now()) due.push_back(id);
    }
    for (const RequestId id : due) called = !StartAttempt(id) || called;
    inside_ = false;
    if (called) Sweep();
    return called;
  }

  // Once in a Poll: curl goes through all that runs, also for a single byte.
  void Move() {
    inside_ = true;
    int running = 0;
    const bool shared = !settings_.http1;
    curl_multi_perform(multi_.get(), &running);
    if (shared && settings_.http1) StartUnsentAnew();
    CollectEnded();
    inside_ = false;
    Sweep();
  }

  // False if it has ended with that.
  bool StartAttempt(RequestId id) {
    Job& job = jobs_.at(id);
    if (job.handler == nullptr) return true;
    milliseconds timeout{0};
    if (job.deadline) {
      timeout = std::max(milliseconds(1), std::chrono::ceil<milliseconds>(*job.deadline - SteadyClock::now()));
    }
    Result<Credential> credential = settings_.config.credentials->Get();
    if (!credential) return Done(id, CredentialError(credential.error().message)), false;
    Result<std::unique_ptr<HttpAttempt>> attempt = HttpAttempt::Create(
        settings_, job.request, std::make_shared<const Credential>(*std::move(credential)), timeout, *job.handler);
    if (!attempt) return Done(id, CredentialError(attempt.error().message)), false;
    ++counters_.attempts;
    job.attempt = *std::move(attempt);
    running_.emplace(job.attempt->handle(), id);
    curl_multi_add_handle(multi_.get(), job.attempt->handle());
    return true;
  }

  static ApiError CredentialError(std::string message) {
    return {.kind = ErrorKind::kCredentials, .message = std::move(message)};
  }

  void CollectEnded() {
    std::vector<std::pair<CURL*, CURLcode>> ended;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg == CURLMSG_DONE) ended.emplace_back(message->easy_handle, message->data.result);
    }
    for (const auto& [easy, code] : ended) EndAttempt(running_.at(easy), code);
  }

  // What waits for its share of a connection that turns out not to be shared.
  void StartUnsentAnew() {
    for (auto& [id, job] : jobs_) {
      if (job.attempt && job.handler != nullptr && !job.attempt->sent()) {
        Detach(job);
        job.due = SteadyClock::now();
      }
    }
  }

  // A handle of its own has connections of its own.
  bool BreakConnections() {
    std::unique_ptr<CURLM, MultiDeleter> fresh = NewMulti();
    if (!fresh) return false;
    std::vector<RequestId> ids;
    for (const auto& [id, job] : jobs_) {
      if (job.attempt) ids.push_back(id);
    }
    for (const RequestId id : ids) EndAttempt(id, CURLE_RECV_ERROR);
    for (auto& [id, job] : jobs_) Detach(job);  // of cancelled ones
    multi_ = std::move(fresh);
    return !ids.empty();
  }

  void EndAttempt(RequestId id, CURLcode code) {
    Job& job = jobs_.at(id);
    if (job.handler == nullptr) return;  // Sweep takes it
    AttemptResult result = job.attempt->Finish(code);
    Count(job, result);
    const std::shared_ptr<const Credential> used = job.attempt->credential();
    Detach(job);
    if (job.handler == nullptr) return;  // cancelled by itself, in OnHead
    if (!result.error) return Done(id, std::nullopt);
    if (result.error->kind == ErrorKind::kUnauthorized && !job.refreshed && Renewed(*used)) {
      job.refreshed = true;
      ++counters_.refreshes;
      job.due = SteadyClock::now();
      return;
    }
    std::optional<milliseconds> wait;
    if (!job.request.stream) wait = NextRetry(result, job.request.method, options_, job.retries);
    const auto due = SteadyClock::now() + wait.value_or(milliseconds(0));
    if (!wait || (job.deadline && due >= *job.deadline)) return Done(id, result.error);
    ++counters_.retries;
    job.due = due;
  }

  // Whether there is another credential than the one that was refused. Of several requests that were refused at once
  // the first renews it, and the others find it renewed.
  bool Renewed(const Credential& used) {
    CredentialSource& source = *settings_.config.credentials;
    if (const Result<Credential> current = source.Get(); current && !(*current == used)) return true;
    return source.Refresh();
  }

  void Count(const Job& job, const AttemptResult& result) {
    curl_off_t bytes = 0;
    curl_easy_getinfo(job.attempt->handle(), CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    counters_.body_bytes += static_cast<uint64_t>(bytes);
    if (result.new_connection) ++counters_.connections;
  }

  void Detach(Job& job) {
    if (!job.attempt) return;
    curl_multi_remove_handle(multi_.get(), job.attempt->handle());
    running_.erase(job.attempt->handle());
    job.attempt.reset();
  }

  void Done(RequestId id, const std::optional<ApiError>& error) {
    ResponseHandler* handler = std::exchange(jobs_.at(id).handler, nullptr);
    if (handler != nullptr) handler->OnDone(error ? &*error : nullptr);
  }

  // Drops what is done or cancelled. Not within curl's callbacks.
  void Sweep() {
    for (auto at = jobs_.begin(); at != jobs_.end();) {
      if (at->second.handler != nullptr) {
        ++at;
        continue;
      }
      Detach(at->second);
      at = jobs_.erase(at);
    }
  }

  HttpSettings settings_;
  HttpClientOptions options_;
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::map<RequestId, Job> jobs_;  // fixed addresses: attempts borrow their request
  std::map<CURL*, RequestId> running_;
  RequestId last_id_ = 0;
  Timers timers_;
  HttpCounters counters_;
  bool inside_ = false, drop_ = false;
};

Result<std::unique_ptr<HttpClient>> HttpClient::Create(ClientConfig config, const HttpClientOptions& options) {
  if (Result<void> prepared = PrepareTls(); !prepared) return std::move(prepared).error();
  const GetEnv get =
      options.get_env ? options.get_env : [](const std::string&) { return std::optional<std::string>(); };
  Result<Endpoint> endpoint = MakeEndpoint(config, ProxyEnvironment::Read(get));
  if (!endpoint) return std::move(endpoint).error();
  HttpSettings settings{.config = std::move(config), .endpoint = *std::move(endpoint)};
  settings.http1 = !settings.endpoint.tls;
  const bool tls = settings.endpoint.tls || settings.endpoint.proxy.starts_with("https:");
  if (settings.config.tls.ca_pem) {
    settings.ca_pem = *settings.config.tls.ca_pem;
  } else if (tls && !settings.config.tls.insecure) {
    Result<std::string> bundle = ReadCaBundle(CaLocations::Of(get));
    if (!bundle) return std::move(bundle).error();
    settings.ca_pem = *std::move(bundle);
  }
  settings.user_agent = options.user_agent.empty() ? "kubectl-ksched/" KSCHED_VERSION : options.user_agent;
  settings.connect_timeout = options.connect_timeout;
  auto loop = std::make_unique<Loop>(std::move(settings), options);
  if (Result<void> prepared = loop->Prepare(); !prepared) return std::move(prepared).error();
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(loop)));
}

HttpClient::HttpClient(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
HttpClient::~HttpClient() = default;

HttpClient::RequestId HttpClient::Start(HttpRequest request, ResponseHandler& handler) {
  return loop_->Add(milliseconds(0), std::move(request), handler);
}

HttpClient::RequestId HttpClient::StartAfter(milliseconds delay, HttpRequest request, ResponseHandler& handler) {
  return loop_->Add(delay, std::move(request), handler);
}

void HttpClient::Cancel(RequestId id) { loop_->Cancel(id); }
void HttpClient::Poll(milliseconds max_wait) { loop_->Poll(max_wait); }
Timers& HttpClient::timers() { return loop_->timers(); }
void HttpClient::DropConnections() { loop_->DropConnections(); }
bool HttpClient::idle() const { return loop_->idle(); }
const ClientConfig& HttpClient::config() const { return loop_->config(); }
HttpCounters HttpClient::counters() const { return loop_->counters(); }

}  // namespace ksched::kube
