#include "kube/pod_status_patch.h"

#include <algorithm>

#include "kube/json_body.h"

namespace ksched::kube {
namespace {

bool NeedsUpdate(const KnownPodStatus& known, const PodCondition& wanted) {
  if (!known.condition) return true;
  const PodCondition& is = *known.condition;
  return is.status != wanted.status || is.reason != wanted.reason || is.message != wanted.message ||
         known.condition_probed;
}

// Members are in the order of their names, as Go writes them.
void WriteNew(JsonBody& body, const PodCondition& wanted, TimeNs now) {
  body.Null("lastProbeTime");
  body.Text("lastTransitionTime", FormatSeconds(now));
  body.TextUnlessEmpty("message", wanted.message);
  if (const int64_t seen = wanted.observed_generation.value_or(0); seen != 0) body.Number("observedGeneration", seen);
  body.TextUnlessEmpty("reason", wanted.reason);
  body.Text("status", wanted.status);
  body.Text("type", wanted.type);
}

void WriteText(JsonBody& body, std::string_view name, const std::string& before, const std::string& wanted) {
  if (wanted == before) return;
  if (wanted.empty()) {
    body.Null(name);
  } else {
    body.Text(name, wanted);
  }
}

void WriteChanged(JsonBody& body, const KnownPodStatus& known, const PodCondition& wanted, TimeNs now) {
  const PodCondition& before = *known.condition;
  if (known.condition_probed) body.Null("lastProbeTime");
  if (before.status != wanted.status) body.Text("lastTransitionTime", FormatSeconds(now));
  WriteText(body, "message", before.message, wanted.message);
  const int64_t seen = wanted.observed_generation.value_or(0);
  if (!before.observed_generation || *before.observed_generation != seen) {
    if (seen != 0) {
      body.Number("observedGeneration", seen);
    } else {
      body.Null("observedGeneration");
    }
  }
  WriteText(body, "reason", before.reason, wanted.reason);
  WriteText(body, "status", before.status, wanted.status);
  body.Text("type", wanted.type);
}

// How the list is to be ordered. A list that was empty is not merged, but set.
void WriteOrder(JsonBody& body, const KnownPodStatus& known, const std::string& type) {
  if (known.condition_types.empty() && !known.condition) return;
  std::vector<std::string> types = known.condition_types;
  if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  body.OpenList("$setElementOrder/conditions");
  for (const std::string& one : types) {
    body.OpenItem();
    body.Text("type", one);
    body.Close();
  }
  body.CloseList();
}

}  // namespace

std::optional<std::string> PodStatusPatch(const KnownPodStatus& known, const PodStatusChange& change, TimeNs now,
                                          std::string_view uid) {
  const bool condition = change.condition && NeedsUpdate(known, *change.condition);
  const bool nomination = change.nominated_node && *change.nominated_node != known.nominated_node;
  if (!condition && !nomination) return std::nullopt;
  JsonBody body;
  if (!uid.empty()) {
    body.Open("metadata");
    body.Text("uid", uid);
    body.Close();
  }
  body.Open("status");
  if (condition) {
    WriteOrder(body, known, change.condition->type);
    body.OpenList("conditions");
    body.OpenItem();
    if (known.condition) {
      WriteChanged(body, known, *change.condition, now);
    } else {
      WriteNew(body, *change.condition, now);
    }
    body.Close();
    body.CloseList();
  }
  if (nomination) WriteText(body, "nominatedNodeName", known.nominated_node, *change.nominated_node);
  body.Close();
  return body.Take();
}

}  // namespace ksched::kube
