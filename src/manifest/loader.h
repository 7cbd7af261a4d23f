// Reads everything that a simulation starts from: a cluster (live, or snapshots of it), manifests, and events.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "admission/plugins.h"
#include "manifest/cluster_input.h"
#include "manifest/cluster_source.h"
#include "state/pod_store.h"

namespace ksched {

struct InputOptions {
  std::vector<std::string> snapshots;  // files of objects as a cluster stores them
  ClusterSource* cluster = nullptr;    // in place of snapshots: a live one
  std::vector<std::string> manifests;  // files and folders of objects that are to be created
  bool recursive = false;              // manifests in folders below, too
  bool ignore_pending = false;         // leave out the pods of the cluster that have no node
  std::string ns = "default";          // of objects of manifests and events that name none
  std::string events;                  // a file; empty: none
  std::string recording;               // a file, in place of snapshots and events; empty: none
  std::set<std::string> schedulers;    // whose decisions a recording is replayed without
  AdmissionPlugins admission;          // what the API server does to objects of manifests
  bool server_admission = false;       // in place of that: ask the live cluster by dry runs
  bool fresh = false;                  // ignore what the cluster has of the manifests' workloads
  api::TimeNs now = 0;                 // for what goes by the age of pods
};

struct LoadedInput {
  ClusterInput input;
  std::vector<std::string> errors;   // what is wrong, in the order of the input; the rest is of no use if there are any
  std::vector<std::string> notices;  // what a user should know: objects that were ignored
  // Why the cluster could not be read, or not enough of it: no fault of the input.
  std::vector<std::string> cluster_errors;

  // CPU seconds for reading documents, and for making objects of them; and how many documents there were.
  double read_cpu_seconds = 0, decode_cpu_seconds = 0;
  size_t documents = 0;
};

// Every pod goes into `store`, which is empty before and outlives the controllers of the input. An object of a manifest
// replaces the one of the cluster; a pod that the cluster has already is left as it is; objects that are given twice
// otherwise are errors.
LoadedInput LoadInput(const InputOptions& options, PodStore& store);

}  // namespace ksched
