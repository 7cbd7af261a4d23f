// Host ports: what a pod asks for and what is taken on a node. 0.0.0.0 clashes with every address.
// Reference: HostPortInfo in k8s.io/kube-scheduler/framework/types.go, v0.37.2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/types.h"

namespace ksched {

struct HostPort {
  std::string ip;        // never empty: 0.0.0.0 stands for all addresses
  std::string protocol;  // never empty: TCP by default
  int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};

// Ports > 0: of the sidecars among the init containers, then of the containers.
std::vector<HostPort> HostPortsOf(const api::PodSpec& spec);

// A set, as in the reference: a port that two pods share (one of them placed by hand) is free again when one leaves.
class UsedHostPorts {
 public:
  void Add(const HostPort& port);
  void Remove(const HostPort& port);
  bool Conflicts(const HostPort& port) const;
  bool empty() const { return ports_.empty(); }
  bool operator==(const UsedHostPorts&) const = default;

 private:
  std::vector<HostPort> ports_;
};

}  // namespace ksched
