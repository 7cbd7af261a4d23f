// The whole chain, in the API server's order.
#include "admission/admission.h"

#include <gtest/gtest.h>

#include <functional>

#include "admission/testing.h"

namespace ksched {
namespace {

using testing_admission::ErrorOf;
using testing_admission::MakeClaim;
using testing_admission::MakeContainer;
using testing_admission::MakeLimitRange;
using testing_admission::MakePod;
using testing_admission::MakeQuota;
using testing_admission::Resources;

// A namespace with a LimitRange and a quota, two classes, and one default StorageClass.
Admission Server(AdmissionPlugins plugins) {
  Admission admission(plugins);
  api::PriorityClass high;
  high.metadata.name = "high";
  high.value = 1000;
  admission.Put(high);
  api::RuntimeClass kata;
  kata.metadata.name = "kata";
  kata.overhead = Resources("cpu=500m");
  admission.Put(kata);
  admission.Put(MakeLimitRange("l", {{"Container", Resources("memory=2Gi"), {}, Resources("cpu=1"), {}, {}}}));
  admission.Put(MakeQuota("q", "limits.cpu=4 pods=3 requests.storage=5Gi", "limits.cpu=0 pods=0 requests.storage=0"));
  api::StorageClass standard;
  standard.metadata.name = "standard";
  standard.metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
  admission.Put(standard);
  api::Namespace ending;
  ending.metadata.name = "ending";
  ending.metadata.deletion_timestamp = 1;
  admission.Put(ending);
  return admission;
}

struct ChainCase {
  const char* name;
  std::function<void(api::Pod&)> change;
  std::string error;  // after `pods "web" is forbidden: `
};

TEST(Admission, Order) {
  const ChainCase cases[] = {
      {"admitted", [](api::Pod&) {}, ""},
      {"the namespace before all",
       [](api::Pod& pod) {
         pod.metadata.ns = "ending";
         pod.spec.priority_class_name = "gold";
       },
       "unable to create new content in namespace ending because it is being terminated"},
      {"priority before RuntimeClass",
       [](api::Pod& pod) {
         pod.spec.priority_class_name = "gold";
         pod.spec.runtime_class_name = "gone";
       },
       "no PriorityClass with name gold was found"},
      {"RuntimeClass before limits",
       [](api::Pod& pod) {
         pod.spec.runtime_class_name = "gone";
         pod.spec.containers[0].resources.limits = Resources("memory=3Gi");
       },
       "pod rejected: RuntimeClass \"gone\" not found"},
      {"limits before the check of overhead",
       [](api::Pod& pod) {
         pod.spec.overhead = Resources("cpu=1");
         pod.spec.containers[0].resources.limits = Resources("memory=3Gi");
       },
       "maximum memory usage per Container is 2Gi, but limit is 3Gi"},
      {"overhead before quotas",
       [](api::Pod& pod) {
         pod.spec.overhead = Resources("cpu=1");
         pod.spec.containers[0].resources.limits = Resources("cpu=9");
       },
       "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
      {"a quota counts defaults and overhead",
       [](api::Pod& pod) {
         pod.spec.runtime_class_name = "kata";
         for (const char* name : {"d", "e", "f"}) pod.spec.containers.push_back(MakeContainer(name, ""));
       },
       "exceeded quota: q, requested: limits.cpu=4500m, used: limits.cpu=0, limited: limits.cpu=4"},
      {"and what the pod says as a whole, completed",
       [](api::Pod& pod) {
         pod.spec.containers[0].resources.limits = Resources("cpu=1");
         pod.spec.resources.emplace().requests = Resources("cpu=6");
       },
       "exceeded quota: q, requested: limits.cpu=6, used: limits.cpu=0, limited: limits.cpu=4"},
  };
  for (const ChainCase& test : cases) {
    SCOPED_TRACE(test.name);
    Admission admission = Server(AdmissionPlugins::all());
    api::Pod pod = MakePod("web");
    test.change(pod);
    EXPECT_EQ(ErrorOf(admission.Admit(pod)), test.error.empty() ? "" : "pods \"web\" is forbidden: " + test.error);
    const auto& used = admission.quotas().Find("default", "q")->status.used;
    EXPECT_EQ(used.at("pods"), api::Quantity::FromUnits(test.error.empty() ? 1 : 0));
  }
}

TEST(Admission, Completes) {
  Admission admission = Server(AdmissionPlugins::all());
  api::Pod pod = MakePod("web");
  pod.spec.priority_class_name = "high";
  pod.spec.runtime_class_name = "kata";
  pod.status.phase = "Running";
  ASSERT_TRUE(admission.Admit(pod).ok());
  EXPECT_EQ(pod.spec.priority, 1000);
  EXPECT_EQ(pod.spec.overhead, Resources("cpu=500m"));
  EXPECT_EQ(pod.spec.tolerations.size(), 2U);
  EXPECT_EQ(pod.spec.containers[0].resources.limits, Resources("cpu=1 memory=2Gi"));
  EXPECT_EQ(pod.spec.containers[0].resources.requests, Resources("cpu=1 memory=2Gi"));
  EXPECT_EQ(pod.status.phase, "Pending");
}

TEST(Admission, WhatItAddsIsValidated) {
  Admission admission = Server(AdmissionPlugins::all());
  api::LimitRangeItem defaults;
  defaults.type = "Container";
  defaults.defaults = Resources("ephemeral-storage=1Gi");
  admission.Put(MakeLimitRange("more", {defaults}));
  api::Pod pod = MakePod("web", "ephemeral-storage=2Gi");
  EXPECT_EQ(
      ErrorOf(admission.Admit(pod)),
      "Pod \"web\" is invalid: spec.containers[0].resources.requests: Invalid value: \"2Gi\": must be less than or "
      "equal to ephemeral-storage limit of 1Gi");
}

TEST(Admission, QuotasAccumulate) {
  Admission admission = Server(AdmissionPlugins::all());
  std::vector<api::Pod> pods;
  for (const char* name : {"a", "b", "c"}) {
    pods.push_back(MakePod(name));
    EXPECT_EQ(ErrorOf(admission.Admit(pods.back())), "");
  }
  api::Pod more = MakePod("d"), again = more;
  EXPECT_EQ(ErrorOf(admission.Admit(more)),
            "pods \"d\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3");
  admission.Release(pods[0]);
  EXPECT_EQ(ErrorOf(admission.Admit(again)), "");
  Admission copy = admission;
  copy.Release(again);
  EXPECT_EQ(admission.quotas().Find("default", "q")->status.used.at("pods"), api::Quantity::FromUnits(3));
  EXPECT_EQ(copy.quotas().Find("default", "q")->status.used.at("pods"), api::Quantity::FromUnits(2));
  admission.Remove("ResourceQuota", "default", "q");
  EXPECT_EQ(ErrorOf(admission.Admit(more)), "");
}

TEST(Admission, Claims) {
  Admission admission = Server(AdmissionPlugins::all());
  api::PersistentVolumeClaim claim = MakeClaim("v", "storage=3Gi");
  EXPECT_EQ(ErrorOf(admission.AdmitClaim(claim)), "");
  EXPECT_EQ(claim.spec.storage_class_name, "standard");
  EXPECT_EQ(ErrorOf(admission.AdmitClaim(claim)),
            "persistentvolumeclaims \"v\" is forbidden: exceeded quota: q, requested: requests.storage=3Gi, used: "
            "requests.storage=3Gi, limited: requests.storage=5Gi");
  admission.Release(claim);
  EXPECT_EQ(ErrorOf(admission.AdmitClaim(claim)), "");
  claim.metadata.ns = "gone";
  EXPECT_EQ(ErrorOf(admission.AdmitClaim(claim)), "namespaces \"gone\" not found");
}

TEST(Admission, OnlySome) {
  const auto plugins = AdmissionPlugins::Parse("LimitRanger,ResourceQuota");
  ASSERT_TRUE(plugins.ok());
  Admission admission = Server(*plugins);
  api::Pod pod = MakePod("web");
  pod.metadata.ns = "ending";
  pod.spec.priority = 7;
  pod.spec.priority_class_name = "gold";
  pod.spec.runtime_class_name = "gone";
  EXPECT_EQ(ErrorOf(admission.Admit(pod)), "") << "as without plugins, but for the two";
  EXPECT_EQ(pod.spec.priority, 7);
  EXPECT_TRUE(pod.spec.tolerations.empty());

  Admission none = Server(AdmissionPlugins::none());
  api::Pod other = MakePod("web", "", "cpu=9 memory=9Gi");
  other.status.phase = "Running";
  EXPECT_EQ(ErrorOf(none.Admit(other)), "");
  EXPECT_EQ(other.status.phase, "Running");
  EXPECT_EQ(none.quotas().Find("default", "q")->status.used.at("pods"), api::Quantity());
  api::PersistentVolumeClaim claim = MakeClaim("v", "storage=9Gi");
  EXPECT_EQ(ErrorOf(none.AdmitClaim(claim)), "");
  EXPECT_EQ(claim.spec.storage_class_name, std::nullopt);
}

}  // namespace
}  // namespace ksched
