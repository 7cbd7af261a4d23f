// ReviewPool: threads that answer reviews, each with a judge of its own. What waits is bounded, and who comes too late
// is not judged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/daemon/log.h"
#include "app/webhook/watched_picture.h"
#include "app/webhook/webhook_metrics.h"
#include "serve/http.h"
#include "webhook/reviewer.h"

namespace ksched::webhook {

// From a body to an HTTP answer, in one thread.
class ReviewWorker {
 public:
  // All borrowed.
  ReviewWorker(const ReviewerOptions& options, const WatchedPicture& picture, WebhookMetrics& metrics,
               daemon::Logger& log);
  serve::Response Answer(std::string body, Judge::SteadyTime arrived, Judge::SteadyTime deadline);

 private:
  Reviewed Ask(const Review& review, Judge::SteadyTime deadline);
  void Log(const Review& review, const Reviewed& reviewed);

  const ReviewerOptions options_;
  const WatchedPicture& picture_;
  WebhookMetrics& metrics_;
  daemon::Logger& log_;
  Reviewer reviewer_;
};

class ReviewPool {
 public:
  struct Job {
    std::string body;
    serve::Respond respond;
    Judge::SteadyTime arrived, deadline;
  };
  using MakeWorker = std::function<std::unique_ptr<ReviewWorker>()>;

  ReviewPool(size_t threads, const MakeWorker& make, WebhookMetrics& metrics);
  // Answers what waits.
  ~ReviewPool();
  ReviewPool(const ReviewPool&) = delete;
  ReviewPool& operator=(const ReviewPool&) = delete;

  // Any thread. False: too many wait; the job is as it was.
  bool Add(Job& job);

 private:
  void Work(ReviewWorker& worker);

  WebhookMetrics& metrics_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Job> jobs_;
  size_t bytes_ = 0;  // of the bodies that wait
  bool ending_ = false;
  std::vector<std::unique_ptr<ReviewWorker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace ksched::webhook
