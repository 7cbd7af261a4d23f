// Questions to the API server whose answers are kept for a while; who asks the same meanwhile gets the same answer.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ksched::serve {

// For several threads. Nobody is called with the lock held.
template <typename Answer>
class Asked {
 public:
  using Clock = std::chrono::steady_clock;
  using Done = std::function<void(const Result<Answer>&)>;

  // Calls `done` at once if the answer is known, else when it is told. True: nobody has asked yet, so that the caller
  // has to find out, and Tell.
  bool Ask(const std::string& key, Done done) {
    std::unique_lock lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end() && found->second.until > Clock::now()) {
      const Result<Answer> answer = found->second.answer;
      lock.unlock();
      done(answer);
      return false;
    }
    std::vector<Done>& waiting = waiting_[key];
    waiting.push_back(std::move(done));
    return waiting.size() == 1;
  }

  // A failure is not kept.
  void Tell(const std::string& key, const Result<Answer>& answer, std::chrono::milliseconds keep) {
    std::vector<Done> told;
    {
      const std::lock_guard lock(mutex_);
      if (const auto waiting = waiting_.find(key); waiting != waiting_.end()) {
        told = std::move(waiting->second);
        waiting_.erase(waiting);
      }
      if (answer && keep.count() > 0) {
        MakeRoom();
        known_.insert_or_assign(key, Known{*answer, Clock::now() + keep});
      }
    }
    for (const Done& done : told) done(answer);
  }

  // Nobody who still waits is answered.
  void Drop() {
    std::map<std::string, std::vector<Done>> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(waiting_);
  }

 private:
  static constexpr size_t kMost = 8192;
  struct Known {
    Answer answer;
    Clock::time_point until;
  };

  void MakeRoom() {
    if (known_.size() < kMost) return;
    std::erase_if(known_, [now = Clock::now()](const auto& one) { return one.second.until <= now; });
    if (known_.size() >= kMost) known_.clear();
  }

  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<Done>> waiting_;
};

}  // namespace ksched::serve
