#include "state/host_ports.h"

#include <algorithm>

namespace ksched {
namespace {

constexpr char kAllAddresses[] = "0.0.0.0";

void Collect(const api::Container& container, std::vector<HostPort>& ports) {
  for (const api::ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    ports.push_back({port.host_ip.empty() ? kAllAddresses : port.host_ip, port.protocol.empty() ? "TCP" : port.protocol,
                     port.host_port});
  }
}

}  // namespace

std::vector<HostPort> HostPortsOf(const api::PodSpec& spec) {
  std::vector<HostPort> ports;
  for (const api::Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") Collect(container, ports);
  }
  for (const api::Container& container : spec.containers) Collect(container, ports);
  return ports;
}

void UsedHostPorts::Add(const HostPort& port) {
  if (std::find(ports_.begin(), ports_.end(), port) == ports_.end()) ports_.push_back(port);
}

void UsedHostPorts::Remove(const HostPort& port) { std::erase(ports_, port); }

bool UsedHostPorts::Conflicts(const HostPort& port) const {
  return std::any_of(ports_.begin(), ports_.end(), [&port](const HostPort& used) {
    return used.port == port.port && used.protocol == port.protocol &&
           (used.ip == port.ip || used.ip == kAllAddresses || port.ip == kAllAddresses);
  });
}

}  // namespace ksched
