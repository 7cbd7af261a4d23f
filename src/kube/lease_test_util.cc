#include "kube/lease_test_util.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>

#include "api/json_values.h"
#include "api/raw_object.h"

namespace ksched::kube {
namespace {

constexpr std::string_view kPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

std::string VersionOf(const std::string& lease) {
  rapidjson::Document json;
  json.Parse(lease.data(), lease.size());
  return api::TextAt(json, {"metadata", "resourceVersion"});
}

}  // namespace

std::string LeaseServer::lease() const {
  const std::lock_guard lock(mutex_);
  return lease_;
}

LeaseRecord LeaseServer::record() const {
  const Result<LeaseRecord> record = ReadLease(lease());
  return record ? *record : LeaseRecord{};
}

void LeaseServer::Set(const LeaseRecord& record) {
  const std::lock_guard lock(mutex_);
  Store(lease_.empty() ? NewLease("kube-system", "ksched", record) : *LeaseWith(lease_, record));
}

void LeaseServer::Delete() {
  const std::lock_guard lock(mutex_);
  lease_.clear();
}

std::vector<std::string> LeaseServer::requests() const {
  const std::lock_guard lock(mutex_);
  return methods_;
}

size_t LeaseServer::count(const std::string& method) const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count(methods_.begin(), methods_.end(), method));
}

// With the next version, and a label that whoever writes has to leave alone.
void LeaseServer::Store(const std::string& lease) {
  rapidjson::Document json;
  json.Parse(lease.data(), lease.size());
  auto& allocator = json.GetAllocator();
  rapidjson::Value& metadata = json["metadata"];
  const std::string version = std::to_string(++version_);
  metadata.RemoveMember("resourceVersion");
  metadata.AddMember("resourceVersion", rapidjson::Value(version.c_str(), allocator), allocator);
  if (version_ == 1) {
    rapidjson::Value labels(rapidjson::kObjectType);
    labels.AddMember("kept", "yes", allocator);
    metadata.AddMember("labels", labels, allocator);
  }
  lease_ = api::ToJson(json);
}

Reply LeaseServer::Serve(const SeenRequest& request) {
  const std::lock_guard lock(mutex_);
  methods_.push_back(request.method);
  const Mood mood = mood_;
  if (mood == Mood::kHangs) return {.hang = true};
  if (mood == Mood::kFailsAll) return StatusAnswer(500, "InternalError", "etcd");
  if (request.method != "GET") return Write(request);
  EXPECT_EQ(request.target, fmt::format("{}/ksched", kPath));
  return lease_.empty() ? StatusAnswer(404, "NotFound", "no such lease") : Answer(200, lease_);
}

Reply LeaseServer::Write(const SeenRequest& request) {
  const Mood mood = mood_;
  if (mood == Mood::kFailsWrites) return StatusAnswer(503, "ServiceUnavailable", "no quorum");
  if (mood == Mood::kConflicts) {
    Store(lease_);
    mood_ = Mood::kFine;
  }
  const bool creates = request.method == "POST";
  EXPECT_EQ(request.target, creates ? std::string(kPath) : fmt::format("{}/ksched", kPath));
  if (creates && !lease_.empty()) return StatusAnswer(409, "AlreadyExists", "it exists");
  if (!creates && lease_.empty()) return StatusAnswer(404, "NotFound", "no such lease");
  if (!creates && VersionOf(request.body) != VersionOf(lease_)) return StatusAnswer(409, "Conflict", "changed");
  Store(request.body);
  if (mood == Mood::kForgetsToAnswerWrites) return {.reset = true};
  if (mood == Mood::kHoldsAnswers) {
    holds_ = true;
    while (mood_ == Mood::kHoldsAnswers) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    holds_ = false;
  }
  return Answer(creates ? 201 : 200, lease_);
}

}  // namespace ksched::kube
