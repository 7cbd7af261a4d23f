// The resources of the API that are listed: everything that kube-scheduler v1.37.2 watches with its default features,
// and what a simulation adds (admission defaults, workloads that make pods).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace ksched::kube {

struct Resource {
  std::string_view group;                    // "": core
  std::array<std::string_view, 3> versions;  // the newest first; those after the last are empty
  std::string_view plural, kind;
  bool namespaced = false;
  bool for_scheduler = false;  // kube-scheduler watches it

  std::span<const std::string_view> known_versions() const;
  // "pods", "resourceclaims.resource.k8s.io", as messages name it.
  std::string QualifiedName() const;
};

// All of them, in an order in which objects are best read: classes and namespaces before what refers to them.
std::span<const Resource> AllResources();
// nullptr if it is none of them.
const Resource* FindResource(std::string_view group, std::string_view plural);

// The path of the collection: "/api/v1/namespaces/NS/pods", "/apis/apps/v1/replicasets". ns: empty for all of them;
// ignored for resources without namespaces.
std::string CollectionPath(const Resource& resource, std::string_view version, std::string_view ns);
// A value for a path or a query, with everything escaped that is no letter, digit or one of "-._~".
std::string EscapeUrl(std::string_view text);

}  // namespace ksched::kube
