#include "state/pod_facts.h"

#include <utility>

#include "api/object_head.h"

namespace ksched {
namespace {

bool IsPreempted(const api::PodStatus& status) {
  for (const api::PodCondition& condition : status.conditions) {  // the first of the type counts
    if (condition.type == "DisruptionTarget") {
      return condition.status == "True" && condition.reason == "PreemptionByScheduler";
    }
  }
  return false;
}

bool HasSource(const api::VolumeSource& s) {
  return s.gce_persistent_disk || s.aws_elastic_block_store || s.azure_disk || s.azure_file || s.cinder || s.rbd ||
         s.iscsi || s.vsphere_volume || s.portworx_volume || s.csi;
}

std::shared_ptr<const std::vector<api::Volume>> VolumesOf(const api::PodSpec& spec) {
  std::vector<api::Volume> kept;
  for (const api::Volume& volume : spec.volumes) {
    if (!volume.claim_name.empty() || volume.ephemeral || HasSource(volume.source)) kept.push_back(volume);
  }
  return kept.empty() ? nullptr : std::make_shared<const std::vector<api::Volume>>(std::move(kept));
}

std::shared_ptr<const ScheduledCondition> ConditionOf(api::PodStatus& status) {
  for (api::PodCondition& condition : status.conditions) {
    if (condition.type != "PodScheduled") continue;
    return std::make_shared<const ScheduledCondition>(
        ScheduledCondition{std::move(condition.status), std::move(condition.reason), std::move(condition.message)});
  }
  return nullptr;
}

}  // namespace

PodFacts TakePodFacts(api::Pod& pod) {
  PodFacts facts;
  facts.name = std::move(pod.metadata.name);
  facts.uid = std::move(pod.metadata.uid);
  facts.resource_version = api::VersionNumber(pod.metadata.resource_version);
  facts.generation = pod.metadata.generation;
  facts.nominated_node_name = std::move(pod.status.nominated_node_name);
  facts.start_time = pod.status.start_time;
  facts.creation_timestamp = pod.metadata.creation_timestamp;
  facts.deleting = pod.metadata.deletion_timestamp.has_value();
  facts.preempted = IsPreempted(pod.status);
  facts.condition = ConditionOf(pod.status);
  facts.volumes = VolumesOf(pod.spec);
  return facts;
}

}  // namespace ksched
