#include "state/pod_requests.h"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace ksched {
namespace {

using api::Quantity;
using api::ResourceList;

ResourceList List(std::initializer_list<std::pair<const char*, int64_t>> milli) {
  ResourceList list;
  for (const auto& [name, amount] : milli) list[name] = Quantity::FromMilli(amount);
  return list;
}

std::string Text(const ResourceList& list) {
  std::string text;
  for (const auto& [name, quantity] : list) text += name + "=" + std::to_string(quantity.MilliValue()) + " ";
  if (!text.empty()) text.pop_back();
  return text;
}

api::Container Asking(const char* name, ResourceList requests, const char* restart_policy = "") {
  api::Container container;
  container.name = name;
  container.restart_policy = restart_policy;
  container.resources.requests = std::move(requests);
  return container;
}

api::ContainerStatus Status(const char* name, std::optional<ResourceList> allocated,
                            std::optional<ResourceList> actual) {
  api::ContainerStatus status;
  status.name = name;
  status.allocated_resources = std::move(allocated);
  status.has_resources = actual.has_value();
  status.resources_requests = std::move(actual);
  return status;
}

api::Pod Pod(std::vector<api::Container> containers, std::vector<api::Container> init_containers = {}) {
  api::Pod pod;
  pod.spec.containers = std::move(containers);
  pod.spec.init_containers = std::move(init_containers);
  return pod;
}

constexpr PodRequestOptions kWithStatus{.use_status_resources = true, .use_pod_level_status = true};

TEST(PodRequestsTest, OfTheSpec) {
  const auto with_overhead = [](api::Pod pod) {
    pod.spec.overhead = List({{"cpu", 10}});
    return pod;
  };
  const auto with_pod_level = [](api::Pod pod, ResourceList requests) {
    pod.spec.resources.emplace().requests = std::move(requests);
    return pod;
  };
  const struct {
    const char* name;
    api::Pod pod;
    std::string want;
  } kRows[] = {
      {"nothing", Pod({}), ""},
      {"containers add up", Pod({Asking("a", List({{"cpu", 1}})), Asking("b", List({{"cpu", 2}, {"memory", 5}}))}),
       "cpu=3 memory=5"},
      {"an init container's peak",
       Pod({Asking("a", List({{"cpu", 1}, {"memory", 9}}))},
           {Asking("i", List({{"cpu", 4}})), Asking("j", List({{"cpu", 3}, {"memory", 2}}))}),
       "cpu=4 memory=9"},
      {"sidecars run with the containers",
       Pod({Asking("a", List({{"cpu", 5}}))}, {Asking("s", List({{"cpu", 2}}), "Always")}), "cpu=7"},
      {"an init container beside the sidecars before it",
       Pod({Asking("a", List({{"cpu", 1}}))},
           {Asking("i", List({{"cpu", 8}})), Asking("s", List({{"cpu", 2}}), "Always"), Asking("j", List({{"cpu", 7}})),
            Asking("t", List({{"cpu", 3}}), "Always")}),
       "cpu=9"},
      {"overhead", with_overhead(Pod({Asking("a", List({{"cpu", 5}}))}, {Asking("i", List({{"cpu", 7}}))})), "cpu=17"},
      {"pod-level requests stand for the containers'",
       with_pod_level(Pod({Asking("a", List({{"cpu", 5}, {"memory", 6}, {"example.com/gpu", 1000}}))}),
                      List({{"cpu", 3}, {"hugepages-2Mi", 8}, {"example.com/gpu", 7000}})),
       "cpu=3 example.com/gpu=1000 hugepages-2Mi=8 memory=6"},
      {"pod-level overhead is added", with_overhead(with_pod_level(Pod({}), List({{"cpu", 3}}))), "cpu=13"},
      {"pod-level requests of no supported kind", with_pod_level(Pod({}), List({{"example.com/gpu", 7000}})), ""},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Text(PodRequests(row.pod, {})), row.want) << row.name;
    EXPECT_EQ(Text(SpecRequests(row.pod.spec, kWithStatus)), row.want) << row.name;
    EXPECT_EQ(Text(PodRequests(row.pod, kWithStatus)), row.want) << row.name;  // there is none
  }
}

TEST(PodRequestsTest, PodLevelRequestsSkipped) {
  api::Pod pod = Pod({Asking("a", List({{"cpu", 5}}))});
  pod.spec.resources.emplace().requests = List({{"cpu", 30}});
  EXPECT_TRUE(IsPodLevelRequestsSet(pod.spec));
  EXPECT_EQ(Text(PodRequests(pod, {.skip_pod_level_resources = true})), "cpu=5");
  pod.spec.resources->requests.clear();
  pod.spec.resources->limits = List({{"cpu", 30}});
  EXPECT_FALSE(IsPodLevelRequestsSet(pod.spec));
}

TEST(PodRequestsTest, DefaultsPerContainer) {
  const api::Pod pod = Pod({Asking("a", List({{"cpu", 5}})), Asking("b", List({{"cpu", 0}})), Asking("c", {})},
                           {Asking("i", {}), Asking("s", {}, "Always")});
  const ResourceList defaults = List({{"cpu", 100}, {"memory", 7}});
  EXPECT_EQ(Text(PodRequests(pod, {.non_missing_container_requests = &defaults})), "cpu=205 memory=28");
  EXPECT_EQ(Text(DefaultContainerRequests()), "cpu=100 memory=209715200000");
}

TEST(PodRequestsTest, OfTheStatus) {
  const auto pod_with = [](std::vector<api::ContainerStatus> statuses, const char* resize = "") {
    api::Pod pod = Pod({Asking("a", List({{"cpu", 5}})), Asking("b", List({{"cpu", 1}}))});
    pod.status.container_statuses = std::move(statuses);
    if (*resize != '\0')
      pod.status.conditions = {{"Ready", "True", "Infeasible", ""}, {"PodResizePending", "True", resize, ""}};
    return pod;
  };
  const struct {
    const char* name;
    api::Pod pod;
    std::string want;
  } kRows[] = {
      {"nothing said", pod_with({Status("a", {}, {})}), "cpu=6"},
      {"more allocated", pod_with({Status("a", List({{"cpu", 8}}), {})}), "cpu=9"},
      {"less allocated", pod_with({Status("a", List({{"cpu", 2}}), {})}), "cpu=6"},
      {"more applied", pod_with({Status("a", List({{"cpu", 5}}), List({{"cpu", 9}}))}), "cpu=10"},
      {"the greatest of the three sums",
       pod_with({Status("a", List({{"cpu", 7}}), List({{"cpu", 1}})), Status("b", {}, List({{"cpu", 20}}))}), "cpu=21"},
      {"another container's", pod_with({Status("x", List({{"cpu", 80}}), {})}), "cpu=6"},
      {"deferred: the spec counts", pod_with({Status("a", List({{"cpu", 2}}), {})}, "Deferred"), "cpu=6"},
      {"infeasible: it does not", pod_with({Status("a", List({{"cpu", 2}}), {})}, "Infeasible"), "cpu=2"},
      {"infeasible, nothing said", pod_with({}, "Infeasible"), ""},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Text(PodRequests(row.pod, kWithStatus)), row.want) << row.name;
    EXPECT_EQ(Text(PodRequests(row.pod, {})), "cpu=6") << row.name;
  }
}

TEST(PodRequestsTest, OfInitContainerStatuses) {
  api::Pod pod = Pod({Asking("a", List({{"cpu", 1}}))}, {Asking("s", List({{"cpu", 2}}), "Always")});
  pod.status.init_container_statuses = {Status("s", List({{"cpu", 5}}), {})};
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=6");
}

TEST(PodRequestsTest, OfThePodLevelStatus) {
  api::Pod pod = Pod({Asking("a", List({{"cpu", 5}}))});
  pod.status.container_statuses = {Status("a", List({{"cpu", 50}}), {})};
  pod.status.has_resources = true;
  pod.status.resources_requests = List({{"cpu", 7}});
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=50");  // only with both lists it is the sum
  pod.status.allocated_resources = List({{"cpu", 6}, {"memory", 1}});
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=7 memory=1");
  EXPECT_EQ(Text(PodRequests(pod, {.use_status_resources = true})), "cpu=50");  // gate off

  pod.spec.resources.emplace().requests = List({{"cpu", 2}});
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=7 memory=1");
  pod.status.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
  pod.status.resources_requests = List({{"cpu", 1}});
  pod.status.allocated_resources = List({{"cpu", 1}});
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=1");
  pod.status.has_resources = false;
  pod.status.resources_requests.reset();
  EXPECT_EQ(Text(PodRequests(pod, kWithStatus)), "cpu=2");  // no pod-level status: the spec's requests
}

TEST(PodRequestsTest, SumsBeyondAQuantityStayThere) {
  const Result<Quantity> most = Quantity::Parse("1e40");
  const ResourceList list = {{"cpu", *most}};
  EXPECT_EQ(Text(PodRequests(Pod({Asking("a", list), Asking("b", list)}), {})), Text(list));
}

}  // namespace
}  // namespace ksched
