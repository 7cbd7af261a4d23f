#include "state/resources.h"

#include <gmock/gmock.h>

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ResourceNameTest, Kinds) {
  const std::string long_domain(244, 'a'), long_name(63, 'n');
  const struct {
    std::string name;
    bool scalar, extended, dra;
  } kRows[] = {
      {"cpu", false, false, false},
      {"pods", false, false, false},
      {"ephemeral-storage", false, false, false},
      {"example.com/gpu", true, true, true},
      {"nvidia.com/mig-1g.5gb", true, true, true},
      {"hugepages-2Mi", true, false, false},
      {"hugepages-", true, false, false},
      {"attachable-volumes-aws-ebs", true, false, false},
      {"kubernetes.io/something", true, false, false},
      {"sub.kubernetes.io/something", true, false, false},
      {"deviceclass.resource.kubernetes.io/gpu", true, false, true},
      {"requests.example.com/gpu", false, false, false},
      {"requests.cpu", false, false, false},
      {"gpu", false, false, false},
      {"Example.com/gpu", false, false, false},
      {"example..com/gpu", false, false, false},
      {"example-.com/gpu", false, false, false},
      {"-example.com/gpu", false, false, false},
      {"example.com/", false, false, false},
      {"/gpu", false, false, false},
      {"example.com/a/b", false, false, false},
      {"example.com/-gpu", false, false, false},
      {"example.com/g_p.u", true, true, true},
      {long_domain + "/" + long_name, true, true, true},
      {long_domain + "a/gpu", false, false, false},
      {"example.com/" + long_name + "n", false, false, false},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(IsScalarResourceName(row.name), row.scalar) << row.name;
    EXPECT_EQ(IsExtendedResourceName(row.name), row.extended) << row.name;
    EXPECT_EQ(IsDraExtendedResourceName(row.name), row.dra) << row.name;
  }
}

TEST(ResourceAmountsTest, EachInItsUnit) {
  ResourceNames names;
  const ResourceId gpu = names.Intern("example.com/gpu");
  const api::ResourceList list = {{"cpu", api::Quantity::FromNano(1'500'000'001)},
                                  {"memory", api::Quantity::FromNano(1)},
                                  {"ephemeral-storage", api::Quantity::FromUnits(7)},
                                  {"pods", api::Quantity::FromUnits(110)},
                                  {"example.com/gpu", api::Quantity::FromUnits(2)},
                                  {"hugepages-2Mi", api::Quantity()},
                                  {"unknown", api::Quantity::FromUnits(9)}};
  const ResourceAmounts amounts = ToAmounts(list, names);
  EXPECT_EQ(amounts.milli_cpu, 1501);
  EXPECT_EQ(amounts.memory_bytes, 1);
  EXPECT_EQ(amounts.ephemeral_storage_bytes, 7);
  EXPECT_EQ(amounts.pods, 110);
  EXPECT_THAT(amounts.scalars, ElementsAre(Pair(gpu, 2), Pair(names.Intern("hugepages-2Mi"), 0)));
  EXPECT_EQ(amounts.Get(kCpu), 1501);
  EXPECT_EQ(amounts.Get(kMemory), 1);
  EXPECT_EQ(amounts.Get(kEphemeralStorage), 7);
  EXPECT_EQ(amounts.Get(gpu), 2);
  EXPECT_EQ(amounts.Get(names.Intern("example.com/other")), 0);
}

TEST(ResourceAmountsTest, RequestsAreNeverNegativeAndHaveNoPods) {
  ResourceNames names;
  const api::ResourceList list = {{"cpu", api::Quantity::FromUnits(-1)},
                                  {"pods", api::Quantity::FromUnits(3)},
                                  {"example.com/gpu", api::Quantity::FromUnits(-2)}};
  EXPECT_EQ(ToAmounts(list, names).milli_cpu, -1000);
  const ResourceAmounts requested = ToRequestedAmounts(list, names);
  EXPECT_EQ(requested.milli_cpu, 0);
  EXPECT_EQ(requested.pods, 0);
  EXPECT_THAT(requested.scalars, ElementsAre(Pair(names.Intern("example.com/gpu"), 0)));
  EXPECT_FALSE(requested.RequestsNothing());  // it is mentioned
}

TEST(ResourceAmountsTest, ScalarsAddUpAndWrapAround) {
  ResourceAmounts amounts;
  EXPECT_TRUE(amounts.RequestsNothing());
  amounts.AddScalar(9, 1);
  amounts.AddScalar(4, INT64_MAX);
  amounts.AddScalar(9, 2);
  amounts.AddScalar(4, 1);
  EXPECT_THAT(amounts.scalars, ElementsAre(Pair(4, INT64_MIN), Pair(9, 3)));
}

}  // namespace
}  // namespace ksched
