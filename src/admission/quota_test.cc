#include "admission/quota.h"

#include <gtest/gtest.h>

#include "admission/quota_usage.h"
#include "admission/testing.h"

namespace ksched {
namespace {

using testing_admission::ErrorOf;
using testing_admission::MakeClaim;
using testing_admission::MakeContainer;
using testing_admission::MakePod;
using testing_admission::MakeQuota;
using testing_admission::Resources;

TEST(QuotaUsage, Pods) {
  api::Pod pod = MakePod("web", "cpu=1 memory=1Gi example.com/gpu=2 ephemeral-storage=1Gi hugepages-2Mi=4Mi",
                         "cpu=2 example.com/gpu=2 ephemeral-storage=2Gi");
  pod.spec.init_containers = {MakeContainer("s", "cpu=500m", "", "Always")};
  pod.spec.overhead = Resources("cpu=250m memory=64Mi");
  EXPECT_EQ(QuotaUsage(pod),
            Resources("pods=1 count/pods=1 cpu=1750m requests.cpu=1750m limits.cpu=2250m memory=1088Mi "
                      "requests.memory=1088Mi requests.example.com/gpu=2 ephemeral-storage=1Gi "
                      "requests.ephemeral-storage=1Gi limits.ephemeral-storage=2Gi hugepages-2Mi=4Mi "
                      "requests.hugepages-2Mi=4Mi"));
  pod.spec.resources.emplace().requests = Resources("cpu=4");
  EXPECT_EQ(QuotaUsage(pod).at("cpu"), api::Quantity::FromMilli(4250));
  pod.status.phase = "Succeeded";
  EXPECT_EQ(QuotaUsage(pod), Resources("count/pods=1"));
}

TEST(QuotaUsage, Claims) {
  api::PersistentVolumeClaim claim = MakeClaim("v", "storage=1500m");
  EXPECT_EQ(QuotaUsage(claim), Resources("persistentvolumeclaims=1 count/persistentvolumeclaims=1 requests.storage=2"))
      << "whole bytes";
  claim.spec.storage_class_name = "gold";
  EXPECT_EQ(QuotaUsage(claim), Resources("persistentvolumeclaims=1 count/persistentvolumeclaims=1 requests.storage=2 "
                                         "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
                                         "gold.storageclass.storage.k8s.io/requests.storage=2"));
  claim.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "old";
  EXPECT_TRUE(QuotaUsage(claim).contains("old.storageclass.storage.k8s.io/requests.storage"));
}

TEST(QuotaUsage, Resources) {
  for (const char* name :
       {"pods", "count/pods", "cpu", "limits.ephemeral-storage", "hugepages-2Mi", "requests.hugepages-1Gi",
        "requests.example.com/gpu", "requests.deviceclass.resource.kubernetes.io/gpu"}) {
    EXPECT_TRUE(IsPodQuotaResource(name)) << name;
  }
  for (const char* name : {"services", "example.com/gpu", "requests.storage", "limits.example.com/gpu"}) {
    EXPECT_FALSE(IsPodQuotaResource(name)) << name;
  }
  for (const char* name : {"persistentvolumeclaims", "count/persistentvolumeclaims", "requests.storage",
                           "a.storageclass.storage.k8s.io/requests.storage"}) {
    EXPECT_TRUE(IsClaimQuotaResource(name)) << name;
  }
  EXPECT_FALSE(IsClaimQuotaResource("requests.cpu"));
}

struct QuotaCase {
  const char* name;
  std::string hard, used, requests, limits, error;
};

TEST(QuotaPlugin, Cases) {
  const QuotaCase cases[] = {
      {"fits just so", "cpu=4 pods=2", "cpu=3 pods=1", "cpu=1", "", ""},
      {"exceeded", "cpu=3", "cpu=3", "cpu=1", "", "exceeded quota: q, requested: cpu=1, used: cpu=3, limited: cpu=3"},
      {"what is exceeded only", "cpu=3 memory=1Gi pods=9", "cpu=3 memory=1Gi pods=1", "cpu=100m memory=64Mi", "",
       "exceeded quota: q, requested: cpu=100m,memory=64Mi, used: cpu=3,memory=1Gi, limited: cpu=3,memory=1Gi"},
      {"objects", "count/pods=1", "count/pods=1", "", "",
       "exceeded quota: q, requested: count/pods=1, used: count/pods=1, limited: count/pods=1"},
      {"extended resources", "requests.example.com/gpu=1", "requests.example.com/gpu=0", "example.com/gpu=2", "",
       "exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: "
       "requests.example.com/gpu=1"},
      {"must say", "requests.cpu=9 limits.memory=9Gi", "requests.cpu=0 limits.memory=0", "memory=1Gi", "",
       "failed quota: q: must specify limits.memory for: c; requests.cpu for: c"},
      {"need not say", "requests.ephemeral-storage=1Gi", "requests.ephemeral-storage=0", "", "", ""},
      {"no usage yet", "cpu=9 pods=9", "pods=0", "cpu=1", "", "status unknown for quota: q, resources: cpu,pods"},
      {"usage of other kinds unknown", "pods=9 services=1", "pods=0", "cpu=1", "", ""},
      {"used beyond the limit, and nothing of it asked", "requests.ephemeral-storage=1Gi pods=9",
       "requests.ephemeral-storage=2Gi pods=1", "cpu=1", "", ""},
      {"a negative request", "pods=9", "pods=0", "cpu=-1", "",
       "quota usage is negative for resource(s): cpu,requests.cpu"},
      {"not enforced", "", "", "cpu=1", "", ""},
  };
  for (const QuotaCase& test : cases) {
    SCOPED_TRACE(test.name);
    QuotaPlugin plugin;
    plugin.Put(MakeQuota("q", test.hard, test.used));
    const api::Pod pod = MakePod("web", test.requests, test.limits);
    EXPECT_EQ(ErrorOf(plugin.Admit(pod)), test.error);
    if (!test.error.empty()) {
      EXPECT_EQ(plugin.Find("default", "q")->status.used, Resources(test.used)) << "nothing is charged";
    }
  }
}

TEST(QuotaPlugin, NamesTheContainers) {
  QuotaPlugin plugin;
  plugin.Put(MakeQuota("q", "cpu=9 memory=9Gi", "cpu=0 memory=0"));
  api::Pod pod = MakePod("web");
  pod.spec.containers.push_back(MakeContainer("b", "memory=1Gi"));
  pod.spec.init_containers = {MakeContainer("a", "")};
  EXPECT_EQ(ErrorOf(plugin.Admit(pod)), "failed quota: q: must specify cpu for: a,b,c; memory for: a,c");
  pod.spec.resources.emplace().requests = Resources("cpu=1");
  EXPECT_EQ(ErrorOf(plugin.Admit(pod)), "") << "the pod says it as a whole";
  EXPECT_EQ(plugin.Find("default", "q")->status.used, Resources("cpu=1 memory=1Gi"));
}

TEST(QuotaPlugin, ChargesAllOrNone) {
  QuotaPlugin plugin;
  plugin.Put(WithFreshStatus(MakeQuota("a", "cpu=5", "cpu=9")));
  plugin.Put(MakeQuota("b", "pods=1", "pods=0"));
  EXPECT_EQ(ErrorOf(plugin.Admit(MakePod("one", "cpu=1"))), "");
  EXPECT_EQ(ErrorOf(plugin.Admit(MakePod("two", "cpu=1"))),
            "exceeded quota: b, requested: pods=1, used: pods=1, limited: pods=1");
  EXPECT_EQ(plugin.Find("default", "a")->status.used, Resources("cpu=1"));
  plugin.Release(MakePod("one", "cpu=1"));
  EXPECT_EQ(plugin.Find("default", "a")->status.used, Resources("cpu=0"));
  plugin.Release(MakePod("one", "cpu=1"));
  EXPECT_EQ(plugin.Find("default", "a")->status.used, Resources("cpu=0")) << "never below zero";
  plugin.Charge(MakePod("one", "cpu=9"));
  EXPECT_EQ(plugin.Find("default", "a")->status.used, Resources("cpu=9")) << "without asking";
  api::Pod elsewhere = MakePod("three", "cpu=1");
  elsewhere.metadata.ns = "other";
  EXPECT_EQ(ErrorOf(plugin.Admit(elsewhere)), "");
  plugin.Remove("default", "a");
  plugin.Remove("default", "b");
  EXPECT_EQ(plugin.Find("default", "a"), nullptr);
  EXPECT_EQ(ErrorOf(plugin.Admit(MakePod("four", "cpu=7"))), "");
}

TEST(QuotaPlugin, Claims) {
  QuotaPlugin plugin;
  plugin.Put(MakeQuota("q", "requests.storage=10Gi gold.storageclass.storage.k8s.io/requests.storage=2Gi cpu=1",
                       "requests.storage=8Gi gold.storageclass.storage.k8s.io/requests.storage=1Gi"));
  api::PersistentVolumeClaim claim = MakeClaim("v", "storage=2Gi");
  EXPECT_EQ(ErrorOf(plugin.Admit(claim)), "");
  EXPECT_EQ(ErrorOf(plugin.Admit(claim)),
            "exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=10Gi, limited: "
            "requests.storage=10Gi");
  plugin.Release(claim);
  claim.spec.storage_class_name = "gold";
  EXPECT_EQ(ErrorOf(plugin.Admit(claim)),
            "exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi, used: "
            "gold.storageclass.storage.k8s.io/requests.storage=1Gi, limited: "
            "gold.storageclass.storage.k8s.io/requests.storage=2Gi");
  plugin.Charge(claim);
  EXPECT_EQ(plugin.Find("default", "q")->status.used.at("gold.storageclass.storage.k8s.io/requests.storage"),
            *api::Quantity::Parse("3Gi"));
}

}  // namespace
}  // namespace ksched
