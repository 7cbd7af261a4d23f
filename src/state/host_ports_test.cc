#include "state/host_ports.h"

#include <gmock/gmock.h>

namespace ksched {
namespace {

using ::testing::ElementsAre;

api::Container WithPort(int32_t port, std::string protocol = "", std::string ip = "", std::string restart = "") {
  api::Container container;
  container.restart_policy = std::move(restart);
  api::ContainerPort& added = container.ports.emplace_back();
  added.host_port = port;
  added.protocol = std::move(protocol);
  added.host_ip = std::move(ip);
  return container;
}

TEST(HostPortsTest, SidecarsThenContainersWithDefaults) {
  api::PodSpec spec;
  spec.containers = {WithPort(80), WithPort(0), WithPort(53, "UDP", "10.0.0.1")};
  spec.init_containers = {WithPort(1), WithPort(2, "SCTP", "", "Always")};
  EXPECT_THAT(HostPortsOf(spec), ElementsAre(HostPort{"0.0.0.0", "SCTP", 2}, HostPort{"0.0.0.0", "TCP", 80},
                                             HostPort{"10.0.0.1", "UDP", 53}));
}

TEST(UsedHostPortsTest, Conflicts) {
  const struct {
    const char* name;
    HostPort used, wanted;
    bool conflict;
  } kRows[] = {
      {"same", {"10.0.0.1", "TCP", 80}, {"10.0.0.1", "TCP", 80}, true},
      {"other address", {"10.0.0.1", "TCP", 80}, {"10.0.0.2", "TCP", 80}, false},
      {"all addresses are taken", {"0.0.0.0", "TCP", 80}, {"10.0.0.2", "TCP", 80}, true},
      {"all addresses are wanted", {"10.0.0.1", "TCP", 80}, {"0.0.0.0", "TCP", 80}, true},
      {"other protocol", {"0.0.0.0", "TCP", 80}, {"0.0.0.0", "UDP", 80}, false},
      {"other port", {"0.0.0.0", "TCP", 80}, {"0.0.0.0", "TCP", 81}, false},
  };
  for (const auto& row : kRows) {
    UsedHostPorts used;
    EXPECT_FALSE(used.Conflicts(row.wanted)) << row.name;
    used.Add(row.used);
    EXPECT_EQ(used.Conflicts(row.wanted), row.conflict) << row.name;
  }
}

TEST(UsedHostPortsTest, ASetNotACount) {
  UsedHostPorts used;
  const HostPort port{"0.0.0.0", "TCP", 80};
  used.Add(port);
  used.Add(port);
  used.Remove(port);
  EXPECT_TRUE(used.empty());
  used.Remove(port);  // not there: nothing happens
  EXPECT_TRUE(used.empty());
}

}  // namespace
}  // namespace ksched
