// Limits, quotas, disruption budgets, and what else has a say in pods that are created.
#pragma once

#include "api/types_meta.h"

namespace ksched::api {

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  struct Status {
    int32_t disruptions_allowed = 0;
    TimeMap disrupted_pods;
  } status;
};

struct LimitRangeItem {
  std::string type;                                                            // Pod, Container, PersistentVolumeClaim
  ResourceList max, min, defaults, default_requests, max_limit_request_ratio;  // JSON: default, defaultRequest
};
struct LimitRange {
  ObjectMeta metadata;
  std::vector<LimitRangeItem> limits;
};

struct ScopedResourceSelectorRequirement {
  std::string scope_name, op;
  std::vector<std::string> values;
};
struct ResourceQuota {
  ObjectMeta metadata;
  struct Spec {
    ResourceList hard;
    std::vector<std::string> scopes;
    std::vector<ScopedResourceSelectorRequirement> scope_selector;  // scopeSelector.matchExpressions
  } spec;
  struct Status {
    ResourceList hard, used;
  } status;
};

struct HorizontalPodAutoscaler {
  ObjectMeta metadata;
  std::string target_api_version, target_kind, target_name;  // spec.scaleTargetRef
  std::optional<int32_t> min_replicas;
  int32_t max_replicas = 0;
};

struct Service {
  ObjectMeta metadata;
  StringMap selector;
};

// What an object of ours in a snapshot says about how it came to be (docs/cli.md, "snapshot").
struct ClusterSnapshot {
  ObjectMeta metadata;         // creationTimestamp: when it was taken
  std::string server_version;  // "v1.37.2"
  struct Absent {
    std::string kind, resource, reason;   // reason: NotFound, Forbidden
    std::string message;                  // the server's
    std::vector<std::string> namespaces;  // in these they could be listed after all
  };
  std::vector<Absent> absent;  // kinds that could not be listed
};

}  // namespace ksched::api
