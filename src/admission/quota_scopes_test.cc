#include <gtest/gtest.h>

#include <functional>

#include "admission/quota_usage.h"
#include "admission/testing.h"

namespace ksched {
namespace {

using testing_admission::ErrorOf;
using testing_admission::MakeClaim;
using testing_admission::MakeContainer;
using testing_admission::MakePod;
using testing_admission::Resources;
using Selector = api::ScopedResourceSelectorRequirement;

struct ScopeCase {
  const char* name;
  std::vector<std::string> scopes;
  std::vector<Selector> selectors;
  std::function<void(api::Pod&)> change;
  bool matches;
};

void CrossNamespaces(api::Pod& pod) {
  api::PodAffinityTerm term;
  term.namespaces = {"other"};
  pod.spec.affinity.emplace().pod_anti_affinity.emplace().preferred = {{1, term}};
}
void AllNamespaces(api::Pod& pod) {
  api::PodAffinityTerm term;
  term.namespace_selector.emplace();
  pod.spec.affinity.emplace().pod_affinity.emplace().required = {term};
}
void OwnNamespace(api::Pod& pod) { pod.spec.affinity.emplace().pod_affinity.emplace().required.emplace_back(); }
void High(api::Pod& pod) { pod.spec.priority_class_name = "high"; }
void Ends(api::Pod& pod) { pod.spec.active_deadline_seconds = 0; }
void Requests(api::Pod& pod) { pod.spec.containers[0].resources.requests = Resources("memory=1"); }
void Limits(api::Pod& pod) { pod.spec.init_containers = {MakeContainer("i", "", "cpu=1")}; }
void RequestsStorage(api::Pod& pod) {
  pod.spec.containers[0].resources.requests = Resources("ephemeral-storage=1Gi cpu=0");
}
void RequestsAsPod(api::Pod& pod) { pod.spec.resources.emplace().requests = Resources("cpu=1"); }
void Nothing(api::Pod&) {}

TEST(QuotaScopes, Pods) {
  const ScopeCase cases[] = {
      {"no scopes", {}, {}, Nothing, true},
      {"terminating", {"Terminating"}, {}, Ends, true},
      {"not that", {"Terminating"}, {}, Nothing, false},
      {"not terminating", {"NotTerminating"}, {}, Nothing, true},
      {"not that, either", {"NotTerminating"}, {}, Ends, false},
      {"best effort", {"BestEffort"}, {}, Nothing, true},
      {"storage and zero are best effort", {"BestEffort"}, {}, RequestsStorage, true},
      {"a request is not", {"BestEffort"}, {}, Requests, false},
      {"nor an init container's limit", {"NotBestEffort"}, {}, Limits, true},
      {"nor a request of the pod", {"NotBestEffort"}, {}, RequestsAsPod, true},
      {"not best effort", {"NotBestEffort"}, {}, Nothing, false},
      {"all scopes", {"NotBestEffort", "Terminating"}, {}, Requests, false},
      {"has a class", {"PriorityClass"}, {}, High, true},
      {"has none", {"PriorityClass"}, {}, Nothing, false},
      {"in", {}, {{"PriorityClass", "In", {"low", "high"}}}, High, true},
      {"in, without", {}, {{"PriorityClass", "In", {"low", "high"}}}, Nothing, false},
      {"not in", {}, {{"PriorityClass", "NotIn", {"high"}}}, High, false},
      {"not in, without", {}, {{"PriorityClass", "NotIn", {"high"}}}, Nothing, true},
      {"does not exist", {}, {{"PriorityClass", "DoesNotExist", {}}}, Nothing, true},
      {"but it does", {}, {{"PriorityClass", "DoesNotExist", {}}}, High, false},
      {"across namespaces", {"CrossNamespacePodAffinity"}, {}, CrossNamespaces, true},
      {"by a selector", {}, {{"CrossNamespacePodAffinity", "Exists", {}}}, AllNamespaces, true},
      {"within the own", {"CrossNamespacePodAffinity"}, {}, OwnNamespace, false},
      {"no affinity", {"CrossNamespacePodAffinity"}, {}, Nothing, false},
      {"of claims", {"VolumeAttributesClass"}, {}, Nothing, false},
  };
  for (const ScopeCase& test : cases) {
    SCOPED_TRACE(test.name);
    api::ResourceQuota quota;
    quota.spec.scopes = test.scopes;
    quota.spec.scope_selector = test.selectors;
    api::Pod pod = MakePod("web");
    test.change(pod);
    const auto matches = MatchesQuotaScopes(quota, pod);
    ASSERT_TRUE(matches.ok());
    EXPECT_EQ(*matches, test.matches);
  }
}

TEST(QuotaScopes, WrongOperator) {
  api::ResourceQuota quota;
  quota.spec.scope_selector = {{"PriorityClass", "Like", {"h*"}}};
  EXPECT_EQ(ErrorOf(MatchesQuotaScopes(quota, MakePod("web"))),
            "failed to parse and convert selector: \"Like\" is not a valid scope selector operator");
}

TEST(QuotaScopes, Claims) {
  api::ResourceQuota quota;
  api::PersistentVolumeClaim claim = MakeClaim("v", "storage=1Gi");
  EXPECT_TRUE(*MatchesQuotaScopes(quota, claim));
  quota.spec.scope_selector = {{"VolumeAttributesClass", "In", {"gold"}}};
  EXPECT_FALSE(*MatchesQuotaScopes(quota, claim));
  claim.spec.volume_attributes_class_name = "gold";
  EXPECT_TRUE(*MatchesQuotaScopes(quota, claim));
  quota.spec.scopes = {"BestEffort"};
  EXPECT_FALSE(*MatchesQuotaScopes(quota, claim)) << "a scope of pods";
}

}  // namespace
}  // namespace ksched
