#include "api/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Names, DnsLabels) {
  for (const char* good : {"a", "a1", "1-a", "a--b", "0"}) {
    EXPECT_THAT(CheckDns1123Label(good), IsEmpty()) << good;
    EXPECT_TRUE(IsDns1123Label(good)) << good;
  }
  for (const char* bad : {"", "A", "-a", "a-", "a_b", "a.b", "a b", "ä"}) {
    EXPECT_FALSE(CheckDns1123Label(bad).empty()) << bad;
    EXPECT_FALSE(IsDns1123Label(bad)) << bad;
  }
  EXPECT_THAT(CheckDns1123Label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(CheckDns1123Label(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(CheckDns1123Label("A"),
              ElementsAre("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
                          "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
                          "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
}

TEST(Names, DnsSubdomains) {
  for (const char* good : {"a", "a.b", "1.2.3", "a-1.b"}) EXPECT_TRUE(IsDns1123Subdomain(good)) << good;
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "A.b", "a_b", "a-.b"}) {
    EXPECT_FALSE(IsDns1123Subdomain(bad)) << bad;
    EXPECT_EQ(CheckDns1123Subdomain(bad).size(), 1u) << bad;
  }
  EXPECT_FALSE(IsDns1123Subdomain(std::string(254, 'a')));
}

TEST(Names, LabelKeys) {
  for (const char* good : {"simple", "A_b.c-1", "example.com/Name", "1234/5678", "a.b-c/d"}) {
    EXPECT_TRUE(IsLabelKey(good)) << good;
    EXPECT_THAT(CheckLabelKey(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "-a", "a-", "a b", "/a", "a/", "Example.com/a", "a/b/c", "a_b/c"}) {
    EXPECT_FALSE(IsLabelKey(bad)) << bad;
    EXPECT_FALSE(CheckLabelKey(bad).empty()) << bad;
  }
  const std::string rule =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
      "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  EXPECT_THAT(CheckLabelKey(""), ElementsAre("name part must be non-empty", "name part " + rule));
  EXPECT_THAT(CheckLabelKey("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(CheckLabelKey(std::string(64, 'a')), ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(CheckLabelKey("a/b/c"), ElementsAre("a valid label key " + rule +
                                                  " with an optional DNS subdomain prefix and '/' (e.g. "
                                                  "'example.com/MyName')"));
}

TEST(Names, LabelValues) {
  for (const char* good : {"", "a", "A_b.c-1", "12345"}) EXPECT_TRUE(IsLabelValue(good)) << good;
  for (const char* bad : {"-a", "a-", "a b", "a/b", ".a"}) {
    EXPECT_FALSE(IsLabelValue(bad)) << bad;
    EXPECT_EQ(CheckLabelValue(bad).size(), 1u) << bad;
  }
  EXPECT_FALSE(IsLabelValue(std::string(64, 'a')));
}

TEST(Names, Ports) {
  for (const char* good : {"http", "a", "1a", "a-b"}) EXPECT_THAT(CheckPortName(good), IsEmpty()) << good;
  EXPECT_THAT(CheckPortName("123"), ElementsAre("must contain at least one letter (a-z)"));
  EXPECT_THAT(CheckPortName("a--b"), ElementsAre("must not contain consecutive hyphens"));
  EXPECT_THAT(CheckPortName("-a"), ElementsAre("must not begin or end with a hyphen"));
  EXPECT_THAT(CheckPortName("abcdefghijklmnop"), ElementsAre("must be no more than 15 bytes"));
  EXPECT_THAT(CheckPortName("Http"),
              ElementsAre("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
  EXPECT_THAT(CheckPortNumber(0), ElementsAre("must be between 1 and 65535, inclusive"));
  EXPECT_THAT(CheckPortNumber(65535), IsEmpty());
}

TEST(Names, Resources) {
  const struct {
    const char* name;
    bool native, extended, overcommit, integer, container;
  } kCases[] = {
      {"cpu", true, false, true, false, true},
      {"hugepages-2Mi", true, false, false, false, true},
      {"pods", true, false, true, true, false},
      {"nvidia.com/gpu", false, true, false, true, false},
      {"kubernetes.io/x", true, false, true, false, false},
      {"requests.example.com/x", false, false, false, false, false},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(IsNativeResource(test.name), test.native) << test.name;
    EXPECT_EQ(IsExtendedResource(test.name), test.extended) << test.name;
    EXPECT_EQ(IsOvercommitAllowed(test.name), test.overcommit) << test.name;
    EXPECT_EQ(IsIntegerResource(test.name), test.integer) << test.name;
    EXPECT_EQ(IsStandardContainerResource(test.name), test.container) << test.name;
  }
}

}  // namespace
}  // namespace ksched::api
