// Who this process is among others.
#pragma once

#include <string>

namespace ksched::kube {

// The host's name, as the kernel has it; "localhost" if it has none.
std::string Hostname();

// A random UUID (version 4), "01234567-89ab-4cde-8f01-23456789abcd".
std::string NewUuid();

// What kube-scheduler calls itself in a leader election: "HOST_UUID", another one at every call.
std::string NewIdentity();

}  // namespace ksched::kube
