// What the API server's admission makes of pods and claims that are created: it completes them, and refuses some.
// The order is the API server's: the plugins that change an object, the object's own strategy (what the API server
// itself fills in), the plugins that check, the quotas last. Reference: kube-apiserver v1.37.2 at its default settings.
//
// Not here: webhooks and admission policies (code of others), PodSecurity and ServiceAccount (they read and write what
// scheduling does not), and the validation of the objects (api/validation.h).
#pragma once

#include <string_view>

#include "admission/limit_ranger.h"
#include "admission/namespace_lifecycle.h"
#include "admission/plugins.h"
#include "admission/priority.h"
#include "admission/quota.h"
#include "admission/runtime_class.h"
#include "admission/storage_class.h"
#include "api/types.h"
#include "api/types_policy.h"
#include "base/result.h"

namespace ksched {

class Admission {
 public:
  // With the classes and namespaces that every cluster has. A copy has its own quotas.
  explicit Admission(AdmissionPlugins plugins);

  // Adds the object, or replaces the one of that name. A quota is taken with its status: status.hard is what is
  // enforced, status.used is where counting starts (WithFreshStatus is for one that no controller has seen). A
  // namespace is being terminated when it has a deletionTimestamp.
  void Put(api::PriorityClass one) { priority_.Put(std::move(one)); }
  void Put(api::RuntimeClass one) { runtime_class_.Put(std::move(one)); }
  void Put(api::LimitRange one) { limit_ranger_.Put(std::move(one)); }
  void Put(api::ResourceQuota one) { quota_.Put(std::move(one)); }
  void Put(api::StorageClass one) { storage_class_.Put(std::move(one)); }
  void Put(const api::Namespace& one) { namespaces_.Put(one); }
  // Of another kind, or one that is not there: nothing. `ns` is empty for what is not namespaced.
  void Remove(std::string_view kind, std::string_view ns, std::string_view name);

  const AdmissionPlugins& plugins() const { return plugins_; }
  // Whether Complete may change the pod, whatever classes there are. Admit with no plugins does the same; with any, it
  // may change every pod.
  static bool MayChange(const api::Pod& pod);

  // Of a pod that is stored already: the priority and what its RuntimeClass says, as far as they are missing. The error
  // is the bare reason: an unknown class, or a pod that contradicts its class.
  Result<void> Complete(api::Pod& pod) const;

  // A pod is created: completes and checks it, and charges the quotas. The error is the API server's message, as
  // kubectl prints it after "Error from server (...): "; the pod may have been changed, no quota has. Without plugins:
  // Complete. The pod has the defaults of the API (api/defaults.h) and its name, or else its generateName.
  Result<void> Admit(api::Pod& pod);
  // The same for a claim; without plugins nothing happens.
  Result<void> AdmitClaim(api::PersistentVolumeClaim& claim);

  // What leaves gives back what it was charged, as it is given here; Charge takes it without asking. Of a pod that
  // changes (its phase, its requests): Release as it was, Charge as it is. Neither does anything without ResourceQuota.
  void Release(const api::Pod& pod);
  void Release(const api::PersistentVolumeClaim& claim);
  void Charge(const api::Pod& pod);
  void Charge(const api::PersistentVolumeClaim& claim);

  // The quotas as they are charged now. To read between calls only.
  const QuotaPlugin& quotas() const { return quota_; }

 private:
  bool has(AdmissionPlugin plugin) const { return plugins_.has(plugin); }
  Result<void> Mutate(api::Pod& pod) const;
  Result<void> Check(const api::Pod& pod);

  AdmissionPlugins plugins_;
  NamespaceLifecycle namespaces_;
  LimitRanger limit_ranger_;
  PriorityPlugin priority_;
  DefaultStorageClass storage_class_;
  RuntimeClassPlugin runtime_class_;
  QuotaPlugin quota_;
};

}  // namespace ksched
