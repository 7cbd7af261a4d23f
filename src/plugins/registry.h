// The only list of plugins.
#pragma once

#include "framework/registry.h"

namespace ksched {

// Every plugin of kube-scheduler v1.37.2, in the order in which its default profile would have them with every feature
// gate on. Those that ksched does not have yet have no `create`.
PluginRegistry MakeRegistry();

}  // namespace ksched
