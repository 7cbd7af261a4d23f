// Every line of "YAML as Kubernetes reads it" (docs/dependencies.md); the values are those of sigs.k8s.io/yaml v1.6.0.
#include "api/yaml_scalar.h"

#include <gtest/gtest.h>

#include <string>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

struct Row {
  const char *scalar, *want;
};

std::string Value(const std::string& scalar) { return Outcome("v: " + scalar); }
std::string Json1(const char* value) { return std::string("{\"v\":").append(value).append("}"); }

TEST(YamlScalarTest, Words) {
  for (const char* word : {"y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"}) {
    EXPECT_EQ(Value(word), Json1("true")) << word;
  }
  for (const char* word : {"n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"}) {
    EXPECT_EQ(Value(word), Json1("false")) << word;
  }
  for (const char* word : {"", "~", "null", "Null", "NULL"}) EXPECT_EQ(Value(word), Json1("null")) << word;
  for (const char* word : {"yEs", "oN", "tRUE", "nULL", "nan", "inf", "Infinity", "NaN", "+.nan"}) {
    EXPECT_EQ(Value(word), "{\"v\":\"" + std::string(word) + "\"}") << word;
  }
}

TEST(YamlScalarTest, Numbers) {
  for (const Row& row : {
           Row{"0777", "511"},
           Row{"0o14", "12"},
           Row{"0x1F", "31"},
           Row{"0b11", "3"},
           Row{"1_000", "1000"},
           Row{"08", "8"},
           Row{"09.5", "9.5"},
           Row{"1e3", "1000"},
           Row{"-0x1f", "-31"},
           Row{"+5", "5"},
           Row{"0b+11", "3"},
           Row{"0b-11", "-3"},
           Row{"1__0", "10"},
           Row{"-0b11", "-3"},
           Row{"00", "0"},
           Row{"18446744073709551615", "18446744073709551615"},
           Row{"-9223372036854775808", "-9223372036854775808"},
           Row{"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
           Row{"1.5e19", "15000000000000000000"},
           Row{"9007199254740993", "9007199254740993"},
           Row{"9007199254740993.0", "9007199254740992"},
           Row{"1.2345678901234567e18", "1234567890123456800"},
           Row{"-0.0", "0"},
           Row{"5.", "5"},
           Row{".5", "0.5"},
           Row{".5_0", "0.5"},
           Row{"+.5", "0.5"},
           Row{"1e-400", "0"},
           Row{"1.10", "1.1"},
           Row{"0.1", "0.1"},
       }) {
    EXPECT_EQ(Value(row.scalar), Json1(row.want)) << row.scalar;
  }
}

TEST(YamlScalarTest, StringsThatLookLikeNumbers) {
  for (const char* text : {"1e400", "-1e400", "190:20:30", "2001-01-01", "2001-1-1 10:00:00", "0o8", "0x", "0b102",
                           "--5", "._5", ".5_", "5.5.5", "1e", "0x1p3", "1.2.3", "500m", ".", "-", "+"}) {
    if (std::string(text) == "-") continue;  // the beginning of a sequence
    EXPECT_EQ(Value(text), "{\"v\":\"" + std::string(text) + "\"}") << text;
  }
}

TEST(YamlScalarTest, QuotedIsText) {
  EXPECT_EQ(Value("'yes'"), Json1("\"yes\""));
  EXPECT_EQ(Value("\"08\""), Json1("\"08\""));
  EXPECT_EQ(Value("''"), Json1("\"\""));
  EXPECT_EQ(Value("|-\n  5"), Json1("\"5\""));
  EXPECT_EQ(Value("\"\\u00e9\""), Json1("\"\xC3\xA9\""));
}

TEST(YamlScalarTest, Tags) {
  for (const Row& row : {
           Row{"!!str 5", "\"5\""},
           Row{"!!int '5'", "5"},
           Row{"!!float 3", "3"},
           Row{"!!bool 'yes'", "true"},
           Row{"!!null ''", "null"},
           Row{"!own x", "\"x\""},
           Row{"! 12", "\"12\""},
           Row{"!!binary aGVsbG8=", "\"hello\""},
           Row{"!!binary |\n  aGVs\n  bG8=", "\"hello\""},
           Row{"!!binary '/w=='", "\"\xEF\xBF\xBD\""},
           Row{"!!timestamp 2001-01-01", "\"2001-01-01\""},
           Row{"!!timestamp 2001-1-1T1:2:3Z", "\"2001-1-1T1:2:3Z\""},
           Row{"!!timestamp 2001-01-01 10:00:00.5", "\"2001-01-01 10:00:00.5\""},
       }) {
    EXPECT_EQ(Value(row.scalar), Json1(row.want)) << row.scalar;
  }
  EXPECT_EQ(Value("!!int x"), "f:1: \"x\" is no !!int");
  EXPECT_EQ(Value("!!bool 3"), "f:1: \"3\" is no !!bool");
  EXPECT_EQ(Value("!!timestamp x"), "f:1: \"x\" is no !!timestamp");
  EXPECT_EQ(Value("!!binary a"), "f:1: !!binary value is no valid base64");
}

TEST(YamlScalarTest, WhatJsonDoesNotHave) {
  EXPECT_EQ(Value(".inf"), "f:1: .inf is no number that JSON has");
  EXPECT_EQ(Value("-.Inf"), "f:1: -.Inf is no number that JSON has");
  EXPECT_EQ(Value(".NaN"), "f:1: .NaN is no number that JSON has");
}

TEST(YamlScalarTest, Keys) {
  for (const Row& row : {
           Row{"yes", "true"},
           Row{"off", "false"},
           Row{"1", "1"},
           Row{"0x10", "16"},
           Row{"1.5", "1.5"},
           Row{"1e6", "1e+06"},
           Row{"123456.7", "123456.7"},
           Row{"0.0001", "0.0001"},
           Row{"0.00001", "1e-05"},
           Row{"1e38", "1e+38"},
           Row{"1e39", ".inf"},
           Row{"-.inf", "-.inf"},
           Row{".nan", ".nan"},
           Row{"-0.0", "-0"},
           Row{"'1'", "1"},
           Row{"2001-01-01", "2001-01-01"},
           Row{"!!str yes", "yes"},
           Row{"1234567.0", "1.234567e+06"},
       }) {
    EXPECT_EQ(Outcome(std::string(row.scalar) + ": v"), "{\"" + std::string(row.want) + "\":\"v\"}") << row.scalar;
  }
  EXPECT_EQ(Outcome("a: 1\nnull: x"), "f:2: a key is null: write it in quotes if it is meant as text");
  EXPECT_EQ(Outcome("~: x"), "f:1: a key is null: write it in quotes if it is meant as text");
  EXPECT_EQ(Outcome("18446744073709551615: x"),
            "f:1: the key 18446744073709551615 is too large a number: write it in quotes");
  EXPECT_EQ(Outcome("? [a]\n: x"), "f:1: a key is an array, which JSON does not have");
  EXPECT_EQ(Outcome("? {a: b}\n: x"), "f:1: a key is an object, which JSON does not have");
}

}  // namespace
}  // namespace ksched::api
