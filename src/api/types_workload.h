// What makes pods, and how it replaces them.
#pragma once

#include "api/types.h"

namespace ksched::api {

struct PodTemplateSpec {
  ObjectMeta metadata;
  PodSpec spec;
};

// Deployment, ReplicaSet, ReplicationController, StatefulSet, DaemonSet, Job, CronJob, PodTemplate. Fields that a kind
// does not have keep their zero values.
struct Workload {
  std::string api_version, kind;
  ObjectMeta metadata;
  std::optional<int32_t> replicas;        // defaulted to 1 for the kinds that have it
  bool replicas_given = false;            // it was not absent
  std::optional<LabelSelector> selector;  // a ReplicationController's becomes match_labels
  PodTemplateSpec pod_template;

  // ---- how pods are replaced: Deployment (strategy), StatefulSet and DaemonSet (updateStrategy) ----
  std::string strategy;             // RollingUpdate, Recreate, OnDelete; defaulted
  bool has_rolling_update = false;  // its rollingUpdate is there
  std::optional<IntOrString> max_surge, max_unavailable;
  bool paused = false;  // Deployment
  int32_t min_ready_seconds = 0;
  std::optional<int32_t> partition;  // StatefulSet updateStrategy.rollingUpdate.partition

  // ---- StatefulSet ----
  std::optional<int32_t> ordinals_start;  // spec.ordinals.start
  std::string pod_management_policy;      // OrderedReady, Parallel; defaulted
  std::string service_name;
  std::vector<ClaimTemplate> claim_templates;
  std::string claims_when_deleted, claims_when_scaled;  // persistentVolumeClaimRetentionPolicy

  // ---- Job, and of a CronJob its jobTemplate ----
  std::optional<int32_t> parallelism, completions;
  std::string completion_mode;
  bool suspend = false;  // of a CronJob: its own
  bool manual_selector = false;
  std::string schedule;      // CronJob
  ObjectMeta job_metadata;   // CronJob spec.jobTemplate.metadata
  bool job_suspend = false;  // CronJob spec.jobTemplate.spec.suspend

  struct Status {
    int32_t replicas = 0;
    int32_t active = 0, succeeded = 0, failed = 0;  // Job
    std::string completed_indexes;                  // Job, Indexed: "1,3-5"
    std::string current_revision, update_revision;  // StatefulSet
    int64_t observed_generation = 0;
  } status;
};

}  // namespace ksched::api
