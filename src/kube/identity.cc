#include "kube/identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <random>

namespace ksched::kube {

std::string Hostname() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == 0) return "localhost";
  return name.data();
}

std::string NewUuid() {
  std::random_device device;
  std::array<uint32_t, 4> word{};
  for (uint32_t& one : word) one = device();
  word[1] = (word[1] & 0xffff0fffU) | 0x4000U;
  word[2] = (word[2] & 0x3fffffffU) | 0x80000000U;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", word[0], word[1] >> 16, word[1] & 0xffff,
                     word[2] >> 16, word[2] & 0xffff, word[3]);
}

std::string NewIdentity() { return Hostname() + "_" + NewUuid(); }

}  // namespace ksched::kube
