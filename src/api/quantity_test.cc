#include "api/quantity.h"

#include <gtest/gtest.h>

namespace ksched::api {
namespace {

constexpr char kFormat[] =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr char kNumeric[] = "unable to parse numeric part of quantity";
constexpr char kSuffix[] = "unable to parse quantity's suffix";

TEST(Quantity, ParsesAsTheReference) {
  // Made by k8s.io/apimachinery v0.37.2 itself: Value, MilliValue, String.
  const struct {
    const char* text;
    int64_t value, milli;
    const char* canonical;
  } kCases[] = {
      {"0", 0, 0, "0"},
      {"1", 1, 1000, "1"},
      {"500m", 1, 500, "500m"},
      {"0.5", 1, 500, "500m"},
      {".5", 1, 500, "500m"},
      {"1.", 1, 1000, "1"},
      {".", 0, 0, "0"},
      {"-", 0, 0, "0"},
      {"Ki", 0, 0, "0"},
      {"+2", 2, 2000, "2"},
      {"-1500m", -2, -1500, "-1500m"},
      {"007", 7, 7000, "7"},
      {"1n", 1, 1, "1n"},
      {"1u", 1, 1, "1u"},
      {"1500u", 1, 2, "1500u"},
      {"1k", 1000, 1000000, "1k"},
      {"1M", 1000000, 1000000000, "1M"},
      {"1G", 1000000000, 1000000000000, "1G"},
      {"1T", 1000000000000, 1000000000000000, "1T"},
      {"1P", 1000000000000000, 1000000000000000000, "1P"},
      {"1E", 1000000000000000000, 0, "1E"},
      {"1Ki", 1024, 1024000, "1Ki"},
      {"1Mi", 1048576, 1048576000, "1Mi"},
      {"1.5Gi", 1610612736, 1610612736000, "1536Mi"},
      {"1Ti", 1099511627776, 1099511627776000, "1Ti"},
      {"1Pi", 1125899906842624, 1125899906842624000, "1Pi"},
      {"0.5Ki", 512, 512000, "512"},
      {"0.1Ki", 103, 102400, "102400m"},
      {"1e3", 1000, 1000000, "1e3"},
      {"12E6", 12000000, 12000000000, "12e6"},
      {"1e-3", 1, 1, "1e-3"},
      {"5e-12", 1, 1, "1e-9"},
      {"0.0000000001", 1, 1, "1n"},
      {"1.0000000001", 2, 1001, "1000000001n"},
      {"100Ei", 9223372036854775807, -1000, "9223372036854775807"},
      {"9223372036854775807", 9223372036854775807, -1000, "9223372036854775807"},
      {"1000000", 1000000, 1000000000, "1M"},
      {"1100", 1100, 1100000, "1100"},
      {"20E", 0, 0, "20E"},
  };
  for (const auto& test : kCases) {
    const Result<Quantity> quantity = Quantity::Parse(test.text);
    ASSERT_TRUE(quantity.ok()) << test.text;
    EXPECT_EQ(quantity->Value(), test.value) << test.text;
    EXPECT_EQ(quantity->MilliValue(), test.milli) << test.text;
    EXPECT_EQ(quantity->ToString(), test.canonical) << test.text;
  }
}

TEST(Quantity, SaysWhatIsWrongAsTheReference) {
  const struct {
    const char *text, *message;
  } kCases[] = {
      {"", kFormat},
      {" 1", kFormat},
      {"1 ", kFormat},
      {"1x", kFormat},
      {"abc", kFormat},
      {"1.2.3", kFormat},
      {"1ki", kSuffix},
      {"1K", kSuffix},
      {"1mi", kSuffix},
      {"1e", kSuffix},
      {"1e1e", kFormat},
      {"--1", kSuffix},
      {"1-1", kSuffix},
      {"1e-", kSuffix},
      {"1e+-1", kFormat},
      {"1MiB", kFormat},
      {"Ei", kNumeric},
      {"e-12", kNumeric},
      {"1e99999999999999999999", kSuffix},
  };
  for (const auto& test : kCases) {
    const Result<Quantity> quantity = Quantity::Parse(test.text);
    ASSERT_FALSE(quantity.ok()) << test.text;
    EXPECT_EQ(quantity.error().message, test.message) << test.text;
  }
}

TEST(Quantity, TakesDigitsWithoutEnd) {
  const std::string many(1000, '7');
  EXPECT_TRUE(Quantity::Parse(many).ok());
  EXPECT_TRUE(Quantity::Parse(many + "." + many + "Ei").ok());
  EXPECT_EQ(Quantity::Parse("0." + many)->nano(), 777'777'778);
  EXPECT_EQ(Quantity::Parse("1e2000000000")->Value(), 0);
  EXPECT_EQ(Quantity::Parse("1e-2000000000")->nano(), 1);
  EXPECT_EQ(Quantity::Parse("0e2000000000")->nano(), 0);
}

TEST(Quantity, RoundsUpToMilli) {
  const struct {
    const char *text, *rounded;
  } kCases[] = {{"1500u", "2m"}, {"1", "1"}, {"1n", "1m"}, {"-1500u", "-2m"}, {"0", "0"}, {"100.5m", "101m"}};
  for (const auto& test : kCases) {
    Quantity quantity = *Quantity::Parse(test.text);
    quantity.RoundUpToMilli();
    EXPECT_EQ(quantity.ToString(), test.rounded) << test.text;
  }
}

TEST(Quantity, AddsAndCompares) {
  Quantity sum = *Quantity::Parse("1500m");
  sum += *Quantity::Parse("0.5");
  EXPECT_EQ(sum, Quantity::FromUnits(2));
  sum -= Quantity::FromMilli(2500);
  EXPECT_EQ(sum, Quantity::FromMilli(-500));
  EXPECT_TRUE(sum.IsNegative());
  EXPECT_LT(*Quantity::Parse("1G"), *Quantity::Parse("1Gi"));
  EXPECT_EQ(*Quantity::Parse("1024Mi"), *Quantity::Parse("1Gi"));
}

TEST(Quantity, TextWithoutAFormat) {
  EXPECT_EQ(Quantity::Parse("2048Mi")->ToString(), "2Gi");
  EXPECT_EQ(Quantity::Parse("1500m")->ToString(), "1500m");
  EXPECT_EQ(Quantity::Parse("2000")->ToString(), "2k");
}

}  // namespace
}  // namespace ksched::api
