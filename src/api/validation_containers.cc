// Containers and their ports.
#include <string>
#include <unordered_set>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

using Names = std::unordered_set<std::string>;

void ValidatePort(const ContainerPort& port, Names& names, const FieldPath& path, const Validation& v) {
  if (!port.name.empty()) {
    const Messages messages = CheckPortName(port.name);
    v.AddInvalid(path.Child("name"), port.name, messages);
    if (messages.empty() && !names.insert(port.name).second) {
      v.reporter.Add(path.Child("name"), Duplicate(port.name));
    }
  }
  const auto check_number = [&](const char* field, int32_t number) {
    for (const std::string& message : CheckPortNumber(number)) {
      v.reporter.Add(path.Child(field), Invalid(number, message));
    }
  };
  if (port.container_port == 0) {
    v.reporter.Add(path.Child("containerPort"), Required());
  } else {
    check_number("containerPort", port.container_port);
  }
  // hostNetwork's defaulting copies the container port, which has been judged.
  if (port.host_port != 0 && port.host_port != port.container_port) check_number("hostPort", port.host_port);
  if (port.protocol != "TCP" && port.protocol != "UDP" && port.protocol != "SCTP") {
    v.reporter.Add(path.Child("protocol"), NotSupported(port.protocol, {"SCTP", "TCP", "UDP"}));
  }
}

void ValidatePorts(const Container& container, bool host_network, const FieldPath& path, const Validation& v) {
  Names names;
  for (size_t i = 0; i < container.ports.size(); ++i) {
    const ContainerPort& port = container.ports[i];
    const FieldPath port_path = path.Index(i);
    ValidatePort(port, names, port_path, v);
    if (host_network && port.host_port != port.container_port) {
      v.reporter.Add(port_path.Child("hostPort"),
                     Invalid(port.host_port, "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

// No two containers that run together take the same port of the host.
void ValidateHostPorts(const Container& container, Names& taken, const FieldPath& container_path, const Validation& v) {
  const FieldPath path = container_path.Child("ports");
  for (size_t i = 0; i < container.ports.size(); ++i) {
    const ContainerPort& port = container.ports[i];
    if (port.host_port == 0) continue;
    std::string text = port.protocol + "/" + port.host_ip + "/" + std::to_string(port.host_port);
    if (taken.contains(text)) {
      const FieldPath at = path.Index(i);
      v.reporter.Add(at.Child("hostPort"), Duplicate(text));
    }
    taken.insert(std::move(text));
  }
}

bool HasOuterSpace(const std::string& text) {
  constexpr char kSpaces[] = " \t\n\v\f\r";
  return !text.empty() && (text.find_first_of(kSpaces) == 0 || text.find_last_of(kSpaces) == text.size() - 1);
}

void ValidateContainer(const Container& container, const PodSpec& spec, bool is_pod, const FieldPath& path,
                       const Validation& v) {
  if (container.name.empty()) {
    v.reporter.Add(path.Child("name"), Required());
  } else {
    v.AddInvalid(path.Child("name"), container.name, CheckDns1123Label(container.name));
  }
  if (container.image.empty()) v.reporter.Add(path.Child("image"), Required());
  if (is_pod && HasOuterSpace(container.image)) {
    v.reporter.Add(path.Child("image"), Invalid(container.image, "must not have leading or trailing whitespace"));
  }
  const std::string& policy = container.restart_policy;
  if (!policy.empty() && policy != "Always" && policy != "Never" && policy != "OnFailure") {
    v.reporter.Add(path.Child("restartPolicy"), NotSupported(policy, {"Always", "Never", "OnFailure"}));
  }
  ValidateContainerResources(container.resources, spec.resource_claims, path.Child("resources"), v);
}

}  // namespace

void ValidateContainers(const PodSpec& spec, const FieldPath& spec_path, bool is_pod, const Validation& v) {
  const FieldPath containers = spec_path.Child("containers"), init_containers = spec_path.Child("initContainers");
  if (spec.containers.empty()) v.reporter.Add(containers, Required());
  Names names, host_ports;
  const auto validate = [&](const Container& container, bool host_network, const FieldPath& path) {
    ValidateContainer(container, spec, is_pod, path, v);
    ValidatePorts(container, host_network, path.Child("ports"), v);
    if (!container.name.empty() && !names.insert(container.name).second) {
      v.reporter.Add(path.Child("name"), Duplicate(container.name));
    }
  };
  for (size_t i = 0; i < spec.containers.size(); ++i) {
    validate(spec.containers[i], spec.host_network, containers.Index(i));
    ValidateHostPorts(spec.containers[i], host_ports, containers.Index(i), v);
  }
  for (size_t i = 0; i < spec.init_containers.size(); ++i) {
    validate(spec.init_containers[i], false, init_containers.Index(i));
    Names alone;  // they run one after the other
    ValidateHostPorts(spec.init_containers[i], alone, init_containers.Index(i), v);
  }
}

}  // namespace ksched::api
