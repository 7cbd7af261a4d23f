#include "admission/namespace_lifecycle.h"

#include "admission/messages.h"

namespace ksched {

NamespaceLifecycle::NamespaceLifecycle() {
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) terminating_[name] = false;
}

void NamespaceLifecycle::Put(const api::Namespace& one) {
  terminating_[one.metadata.name] = one.metadata.deletion_timestamp.has_value();
}

void NamespaceLifecycle::Remove(std::string_view name) {
  if (const auto found = terminating_.find(name); found != terminating_.end()) terminating_.erase(found);
}

Result<void> NamespaceLifecycle::Admit(std::string_view resource, const api::ObjectMeta& metadata) const {
  const auto found = terminating_.find(metadata.ns);
  if (found == terminating_.end()) return Error{"namespaces \"" + metadata.ns + "\" not found"};
  if (!found->second) return {};
  return Forbidden(resource, metadata,
                   "unable to create new content in namespace " + metadata.ns + " because it is being terminated");
}

}  // namespace ksched
