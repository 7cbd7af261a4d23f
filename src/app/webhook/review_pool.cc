#include "app/webhook/review_pool.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace ksched::webhook {
namespace {

using std::chrono::steady_clock;

// At a tenth of a millisecond each this is a fraction of a second: what waits longer has lost its client.
constexpr size_t kMostWaiting = 4096, kMostBytesWaiting = size_t{256} << 20;
constexpr size_t kMostLogged = 256;  // bytes of what a client has said

}  // namespace

ReviewWorker::ReviewWorker(const ReviewerOptions& options, const WatchedPicture& picture, WebhookMetrics& metrics,
                           daemon::Logger& log)
    : options_(options), picture_(picture), metrics_(metrics), log_(log), reviewer_(options) {}

serve::Response ReviewWorker::Answer(std::string body, Judge::SteadyTime arrived, Judge::SteadyTime deadline) {
  const auto review = Review::Read(std::move(body));
  if (!review) {
    metrics_.Refused("Malformed");
    log_.Write(1, "warning: a review cannot be read: " + Printable(Shortened(review.error().message, kMostLogged)));
    return serve::TextError(400, review.error().message);
  }
  const Reviewed reviewed = Ask(**review, deadline);
  metrics_.Answered(reviewed, steady_clock::now() - arrived);
  Log(**review, reviewed);
  return {200, {{"Content-Type", "application/json"}}, WriteAnswer((*review)->uid, reviewed.answer)};
}

Reviewed ReviewWorker::Ask(const Review& review, Judge::SteadyTime deadline) {
  const std::shared_ptr<const Picture> picture = picture_.Newest();
  ReviewWorld world{*picture, "", deadline};
  if (picture->snapshot != nullptr && picture_.Age() > picture->policy->max_staleness()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(picture_.Age()).count();
    world.unable = fmt::format("the API server has not been heard of for {} s", seconds);
  }
  try {
    return reviewer_.Answer(review, world);
  } catch (const std::exception& failure) {
    // Whatever state it left behind: a new reviewer has none.
    reviewer_ = Reviewer(options_);
    log_.Write(0, fmt::format("error: a review of {} could not be judged: {}", review.kind, failure.what()));
    return Unable(review, *picture->policy, "Error", "an internal error", /*owned=*/false);
  }
}

void ReviewWorker::Log(const Review& review, const Reviewed& reviewed) {
  const bool worth = reviewed.action == "deny" || reviewed.action == "warn" || reviewed.action == "unable";
  const int32_t level = worth ? 1 : 3;
  if (!log_.Says(level)) return;
  const std::string& text = reviewed.answer.allowed && !reviewed.answer.warnings.empty()
                                ? reviewed.answer.warnings.front()
                                : reviewed.answer.message;
  const std::string object = review.ns + "/" + (review.name.empty() ? "?" : review.name);
  const std::string what = Shortened(fmt::format("{} {} by {}", review.kind, object, review.user), kMostLogged);
  log_.Write(level, Printable(fmt::format("{}: {} ({}){}{}", what, reviewed.action, reviewed.reason,
                                          text.empty() ? "" : ": ", Shortened(text, kMaxMessageBytes))));
}

ReviewPool::ReviewPool(size_t threads, const MakeWorker& make, WebhookMetrics& metrics) : metrics_(metrics) {
  for (size_t i = 0; i < threads; ++i) {
    ReviewWorker& worker = *workers_.emplace_back(make());
    threads_.emplace_back([this, &worker] { Work(worker); });
  }
}

ReviewPool::~ReviewPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ReviewPool::Add(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || jobs_.size() >= kMostWaiting || bytes_ + job.body.size() > kMostBytesWaiting) return false;
    bytes_ += job.body.size();
    jobs_.push_back(std::move(job));
  }
  metrics_.InFlight(1);
  more_.notify_one();
  return true;
}

void ReviewPool::Work(ReviewWorker& worker) {
  for (;;) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    bytes_ -= job.body.size();
    lock.unlock();
    job.respond(worker.Answer(std::move(job.body), job.arrived, job.deadline));
    metrics_.InFlight(-1);
  }
}

}  // namespace ksched::webhook
