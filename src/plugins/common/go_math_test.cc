#include "plugins/common/go_math.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace ksched {
namespace {

// What Go 1.26.8 on amd64 prints of math.Float64bits(math.Log(x)).
TEST(GoLogTest, IsGosToTheLastBit) {
  struct Row {
    double x;
    uint64_t bits;
  };
  const Row rows[] = {
      {0x1p+00, 0x0000000000000000},                  // 1
      {0x1p+01, 0x3fe62e42fefa39ef},                  // 2
      {0x1.8p+01, 0x3ff193ea7aad030a},                // 3
      {0x1p+02, 0x3ff62e42fefa39ef},                  // 4
      {0x1.4p+02, 0x3ff9c041f7ed8d33},                // 5
      {0x1.8p+02, 0x3ffcab0bfa2a2002},                // 6
      {0x1.cp+02, 0x3fff2272ae325a57},                // 7
      {0x1.2p+03, 0x400193ea7aad030b},                // 9
      {0x1.4p+03, 0x40026bb1bbb55516},                // 10
      {0x1.6p+03, 0x40032ee3b77f374c},                // 11
      {0x1.7p+04, 0x4009157dfdd1b3f0},                // 23
      {0x1.78p+05, 0x400ecd1a2f90f0b6},               // 47
      {0x1.94p+06, 0x401275e2271bba31},               // 101
      {0x1.98p+06, 0x40127ff8df87c7bd},               // 102
      {0x1.fep+07, 0x40162a40fda3e3cc},               // 255
      {0x1p+08, 0x40162e42fefa39ef},                  // 256
      {0x1.01p+08, 0x40163241004e9011},               // 257
      {0x1.f6p+08, 0x4018dfd8b5b3e920},               // 502
      {0x1.f4p+09, 0x401ba18a998fffa0},               // 1000
      {0x1.6ap+10, 0x401d1c9bede464e4},               // 1448
      {0x1.6a4p+10, 0x401d1d50e7cbf213},              // 1449
      {0x1.387p+12, 0x402108b35436f406},              // 4999
      {0x1.38ap+12, 0x40210901f6dc84b9},              // 5002
      {0x1.d4dp+13, 0x40233b5c54bb9573},              // 15002
      {0x1p+16, 0x40262e42fefa39ef},                  // 65536
      {0x1.e848p+19, 0x402ba18a998fffa0},             // 1e+06
      {0x1p-01, 0xbfe62e42fefa39ef},                  // 0.5
      {0x1.6a09e667f3bcdp-01, 0xbfd62e42fefa39ee},    // 0.7071067811865476
      {0x1.6a09e667f3bccp-01, 0xbfd62e42fefa39f1},    // 0.7071067811865475
      {0x1.6a09e667f3bcdp+00, 0x3fd62e42fefa39f0},    // 1.4142135623730951
      {0x1.8p+00, 0x3fd9f323ecbf984c},                // 1.5
      {0x1.56e1fc2f8f359p-997, 0xc085963447f87fb5},   // 1e-300
      {0x1.7e43c8800759cp+996, 0x4085963447f87fb5},   // 1e+300
      {0x1.fffffffffffffp+1023, 0x40862e42fefa39ef},  // 1.7976931348623157e+308
  };
  for (const Row& row : rows) EXPECT_EQ(std::bit_cast<uint64_t>(GoLog(row.x)), row.bits) << row.x;
}

// FNV-1a of the bits, least significant byte first.
class Digest {
 public:
  void Add(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ ((bits >> shift) & 0xff)) * 0x100000001b3;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

// The same digests made by a Go program with hash/fnv.
TEST(GoLogTest, IsGosForManyNumbers) {
  Digest whole;
  for (int i = 1; i <= 200'000; ++i) whole.Add(GoLog(i));
  EXPECT_EQ(whole.value(), 0xa76e6b296a29a368);

  Digest any;  // of normal numbers above 0
  uint64_t x = 1;
  for (int i = 0; i < 200'000; ++i) {
    x = x * 6364136223846793005 + 1442695040888963407;
    const uint64_t bits = (x >> 2) % 0x7fe0000000000000 + 0x0010000000000000;
    if (bits < 0x7ff0000000000000) any.Add(GoLog(std::bit_cast<double>(bits)));
  }
  EXPECT_EQ(any.value(), 0xe02bfaf10979c4e4);
}

}  // namespace
}  // namespace ksched
