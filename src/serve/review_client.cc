#include "serve/review_client.h"

#include <utility>

#include "base/block_signals.h"
#include "kube/request_sender.h"

namespace ksched::serve {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kTimeout{10};  // the reference's, for either review
constexpr milliseconds kTurn{10};             // so long a new question may wait while others are under way

}  // namespace

Result<std::unique_ptr<ReviewClient>> ReviewClient::Create(kube::ClientConfig config,
                                                           const kube::HttpClientOptions& options) {
  auto client = kube::HttpClient::Create(std::move(config), options);
  if (!client) return std::move(client).error();
  return std::unique_ptr<ReviewClient>(new ReviewClient(std::move(*client)));
}

ReviewClient::ReviewClient(std::unique_ptr<kube::HttpClient> client)
    : client_(std::move(client)), thread_([this] { Run(); }) {}

ReviewClient::~ReviewClient() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ReviewClient::Get(std::string target, Done done) {
  kube::HttpRequest request;
  request.target = std::move(target);
  Add(std::move(request), std::move(done));
}

void ReviewClient::Post(std::string target, std::string body, Done done) {
  kube::HttpRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.body = std::move(body);
  request.content_type = kube::kJsonType;
  Add(std::move(request), std::move(done));
}

void ReviewClient::Add(kube::HttpRequest request, Done done) {
  request.timeout = kTimeout;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(request), std::move(done)});
  }
  changed_.notify_one();
}

void ReviewClient::Run() {
  BlockSignals();
  kube::RequestSender sender(*client_, {});
  while (true) {
    std::vector<Job> jobs;
    {
      std::unique_lock lock(mutex_);
      if (sender.running() == 0) changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (stopping_) return;
      jobs.swap(jobs_);
    }
    for (Job& job : jobs) sender.Send(std::move(job.request), std::move(job.done));
    client_->Poll(kTurn);
  }
}

}  // namespace ksched::serve
