#include "kube/running_schedulers.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <utility>

#include "api/json_values.h"
#include "kube/scheduler_pods.h"

namespace ksched::kube {
namespace {

constexpr std::string_view kReference = "default-scheduler";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
// Holders renew much more often than that; clocks may differ a little.
constexpr TimeNs kTolerance = 5 * kNsPerSecond;

// Empty: nobody holds it.
std::string HolderOf(const rapidjson::Value& lease, TimeNs now) {
  const std::string holder = api::TextAt(lease, {"spec", "holderIdentity"});
  const auto renewed = api::ParseTime(api::TextAt(lease, {"spec", "renewTime"}));
  const rapidjson::Value* duration = api::FindField(lease, {"spec", "leaseDurationSeconds"});
  if (holder.empty() || !renewed || duration == nullptr || !duration->IsInt64()) return "";
  return *renewed + duration->GetInt64() * kNsPerSecond + kTolerance < now ? "" : holder;
}

// The first pod that runs; empty: none does.
Result<std::string> RunningPod(HttpClient& client) {
  const auto pods = FindSchedulerPods(client);
  if (!pods) return pods.error();
  for (const SchedulerPod& pod : *pods) {
    if (pod.running) return pod.pod;
  }
  return std::string();
}

}  // namespace

std::string LeaseNameOf(const std::string& scheduler) { return scheduler == kReference ? "kube-scheduler" : scheduler; }

Result<std::map<std::string, std::string>> HoldersOfLeases(std::string_view leases, TimeNs now) {
  rapidjson::Document list;
  list.Parse<rapidjson::kParseIterativeFlag>(leases.data(), leases.size());
  const rapidjson::Value* items = list.HasParseError() ? nullptr : api::FindField(list, {"items"});
  if (items == nullptr || !items->IsArray()) return Error{"the answer is no list of Leases"};
  std::map<std::string, std::string> holders;
  for (const rapidjson::Value& lease : items->GetArray()) {
    std::string holder = HolderOf(lease, now);
    if (!holder.empty()) holders[api::TextAt(lease, {"metadata", "name"})] = std::move(holder);
  }
  return holders;
}

TimeNs TimeOfAnswer(const ResponseHead& head, TimeNs otherwise) {
  const std::string date(head.Find("date"));
  const time_t seconds = date.empty() ? -1 : curl_getdate(date.c_str(), nullptr);
  return seconds < 0 ? otherwise : TimeNs{seconds} * kNsPerSecond;
}

Result<RunningSchedulers> FindRunningSchedulers(HttpClient& client, const std::set<std::string>& names) {
  RunningSchedulers running;
  if (names.empty()) return running;
  HttpRequest request;
  request.target = kLeases;
  const HttpResponse response = client.Perform(std::move(request));
  if (!response.ok()) return response.error->ToError();
  const auto holders = HoldersOfLeases(response.body, TimeOfAnswer(response.head, SystemClock().Now()));
  if (!holders) return holders.error();
  for (const std::string& name : names) {
    const std::string lease = LeaseNameOf(name);
    const auto held = holders->find(lease);
    if (held == holders->end()) continue;
    running[name] = fmt::format("the Lease kube-system/{} is held by {}", lease, held->second);
  }
  const std::string reference(kReference);
  if (!names.contains(reference) || running.contains(reference)) return running;
  const auto pod = RunningPod(client);
  if (!pod) return pod.error();
  if (!pod->empty()) running[reference] = fmt::format("its pod {} runs", *pod);
  return running;
}

}  // namespace ksched::kube
