// Reads everything that a simulation starts from: snapshots of a cluster, manifests, and events.
#pragma once

#include <string>
#include <vector>

#include "manifest/cluster_input.h"
#include "state/pod_store.h"

namespace ksched {

struct InputOptions {
  std::vector<std::string> snapshots;  // files of objects as a cluster stores them
  std::vector<std::string> manifests;  // files and folders of objects that are to be created
  bool recursive = false;              // manifests in folders below, too
  bool ignore_pending = false;         // leave out the pods of snapshots that have no node
  std::string ns = "default";          // of objects of manifests and events that name none
  std::string events;                  // a file; empty: none
};

struct LoadedInput {
  ClusterInput input;
  std::vector<std::string> errors;   // what is wrong, in the order of the input; the rest is of no use if there are any
  std::vector<std::string> notices;  // what a user should know: objects that were ignored

  // CPU seconds for reading documents, and for making objects of them; and how many documents there were.
  double read_cpu_seconds = 0, decode_cpu_seconds = 0;
  size_t documents = 0;
};

// Every pod goes into `store`, which is empty before. An object of a manifest replaces the one of a snapshot; pods, and
// objects that are given twice otherwise, are errors.
LoadedInput LoadInput(const InputOptions& options, PodStore& store);

}  // namespace ksched
