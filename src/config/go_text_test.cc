#include "config/go_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace ksched::config {
namespace {

TEST(GoTextTest, ParseDuration) {
  const std::pair<const char*, DurationNs> rows[] = {
      {"0", 0},
      {"-0", 0},
      {"15s", 15'000'000'000},
      {"1m30s", 90'000'000'000},
      {"1.5h", 5'400'000'000'000},
      {"-1s", -1'000'000'000},
      {"+.5ms", 500'000},
      {"3\xc2\xb5s", 3'000},
      {"7ns", 7},
      {"2540400h10m10.000000001s", 9'145'440'610'000'000'001},
      {"-9223372036854775808ns", std::numeric_limits<int64_t>::min()},
      {"0.3333333333333333333h", 1'200'000'000'000},
  };
  for (const auto& [text, want] : rows) {
    const Result<DurationNs> parsed = ParseDuration(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, want) << text;
  }
}

TEST(GoTextTest, ParseDurationErrors) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "time: invalid duration \"\""},
      {"-", "time: invalid duration \"-\""},
      {"s", "time: invalid duration \"s\""},
      {".s", "time: invalid duration \".s\""},
      {"15", "time: missing unit in duration \"15\""},
      {"15x", "time: unknown unit \"x\" in duration \"15x\""},
      {"9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""},
      {"99999999999999999999s", "time: invalid duration \"99999999999999999999s\""},
      {"2562048h", "time: invalid duration \"2562048h\""},
  };
  for (const auto& [text, want] : rows) {
    const Result<DurationNs> parsed = ParseDuration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().message, want);
  }
}

TEST(GoTextTest, FormatDuration) {
  const std::pair<DurationNs, const char*> rows[] = {
      {0, "0s"},
      {1, "1ns"},
      {1'100, "1.1\xc2\xb5s"},
      {2'200'000, "2.2ms"},
      {100'000'000, "100ms"},
      {3'300'000'000, "3.3s"},
      {90'000'000'000, "1m30s"},
      {245'001'000'000, "4m5.001s"},
      {3'600'000'000'000, "1h0m0s"},
      {-1'000'000'000, "-1s"},
      {std::numeric_limits<int64_t>::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [duration, want] : rows) EXPECT_EQ(FormatDuration(duration), want);
}

TEST(GoTextTest, JsonQuote) { EXPECT_EQ(JsonQuote("a<\"\\\n\x01"), "\"a\\u003c\\\"\\\\\\n\\u0001\""); }

}  // namespace
}  // namespace ksched::config
