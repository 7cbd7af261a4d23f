// For tests: an API server with one Lease, on loopback.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "kube/http_test_util.h"
#include "kube/lease_object.h"

namespace ksched::kube {

class LeaseServer {
 public:
  std::string url() const { return server_->url(); }

  // What happens to writes and to all requests from now on.
  enum class Mood { kFine, kFailsWrites, kFailsAll, kHangs, kConflicts, kForgetsToAnswerWrites, kHoldsAnswers };
  void Be(Mood mood) { mood_ = mood; }
  // kHoldsAnswers: a write is stored, and its answer waits for another mood. Until then ask for nothing else here.
  bool holds_an_answer() const { return holds_; }

  LeaseRecord record() const;
  std::string lease() const;            // the whole object; empty: there is none
  void Set(const LeaseRecord& record);  // as somebody else writes it
  void Delete();
  std::vector<std::string> requests() const;  // their methods
  size_t count(const std::string& method) const;

 private:
  Reply Serve(const SeenRequest& request);
  Reply Write(const SeenRequest& request);
  void Store(const std::string& lease);

  std::atomic<Mood> mood_ = Mood::kFine;
  std::atomic<bool> holds_ = false;
  mutable std::mutex mutex_;
  std::string lease_;
  int version_ = 0;
  std::vector<std::string> methods_;
  std::unique_ptr<ScriptedServer> server_ =
      std::make_unique<ScriptedServer>([this](const SeenRequest& request, size_t) { return Serve(request); });
};

}  // namespace ksched::kube
