#include "api/object_head.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

TEST(ObjectHead, OfAMessage) {
  std::string metadata, object;
  protozero::pbf_writer meta(metadata);
  meta.add_string(1, "web");
  meta.add_string(2, "generated-");
  meta.add_string(3, "shop");
  meta.add_string(5, "u-1");
  meta.add_string(6, "42");
  protozero::pbf_writer writer(object);
  writer.add_message(1, metadata);
  writer.add_string(2, "spec");
  const auto head = ReadHead(object);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->name, "web");
  EXPECT_EQ(head->ns, "shop");
  EXPECT_EQ(head->uid, "u-1");
  EXPECT_EQ(head->resource_version, "42");
  for (size_t size = 1; size < object.size(); ++size) (void)ReadHead(std::string_view(object).substr(0, size));
  EXPECT_FALSE(ReadHead(std::string_view(object).substr(0, 5)).ok());
  EXPECT_TRUE(ReadHead(std::string_view()).ok());
}

TEST(ObjectHead, OfADocument) {
  std::vector<std::string> names;
  Problems problems;
  ReadDocumentsFromText(
      R"({"metadata":{"name":"web","namespace":"shop","uid":7,"resourceVersion":"42"}} {"metadata":[]} {})", "f",
      [&](const Document& document) {
        const ObjectHead head = ReadHead(document);
        names.push_back(std::string(head.ns) + "/" + std::string(head.name) + "@" + std::string(head.resource_version));
        EXPECT_EQ(head.uid, "") << "what is no text is passed over";
      },
      problems);
  EXPECT_EQ(names, (std::vector<std::string>{"shop/web@42", "/@", "/@"}));
}

TEST(ObjectHead, VersionsAsNumbers) {
  EXPECT_EQ(VersionNumber("42"), 42u);
  EXPECT_EQ(VersionNumber(""), 0u);
  EXPECT_EQ(VersionNumber("4x"), 0u);
  EXPECT_EQ(VersionNumber("99999999999999999999999"), 0u);
}

}  // namespace
}  // namespace ksched::api
