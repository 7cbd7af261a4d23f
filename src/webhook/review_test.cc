#include "webhook/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/item_document.h"
#include "api/objects.h"

namespace ksched::webhook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kPodReview[] = R"({
  "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "later": {"a": [1]},
  "request": {
    "uid": "u-1",
    "kind": {"group": "", "version": "v1", "kind": "Pod"},
    "resource": {"group": "", "version": "v1", "resource": "pods"},
    "requestKind": {"group": "", "version": "v1", "kind": "Pod"},
    "namespace": "shop", "operation": "CREATE",
    "userInfo": {"username": "jane", "uid": "7", "groups": ["dev", "system:authenticated"], "extra": {}},
    "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {"generateName": "web-", "namespace": "shop"},
      "spec": {"containers": [{"name": "a", "image": "caf\u00e9"}]}},
    "oldObject": null, "dryRun": true, "options": {"kind": "CreateOptions"}
  }
}
)";

// The review above with one part replaced.
std::string With(const std::string& from, const std::string& to) {
  std::string body = kPodReview;
  const size_t at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return body.replace(at, from.size(), to);
}

std::string ErrorOf(std::string body) {
  const Result<std::unique_ptr<Review>> review = Review::Read(std::move(body));
  return review.ok() ? "" : review.error().message;
}

TEST(ReviewTest, WhatItSays) {
  const Result<std::unique_ptr<Review>> read = Review::Read(kPodReview);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Review& review = **read;
  EXPECT_EQ(review.uid, "u-1");
  EXPECT_EQ(review.group + "/" + review.version + "/" + review.kind, "/v1/Pod");
  EXPECT_EQ(review.resource + "/" + review.subresource, "pods/");
  EXPECT_EQ(review.operation, Operation::kCreate);
  EXPECT_EQ(review.ns + "/" + review.name, "shop/");
  EXPECT_EQ(review.user, "jane");
  EXPECT_THAT(review.groups, ElementsAre("dev", "system:authenticated"));
  EXPECT_TRUE(review.dry_run);
  EXPECT_EQ(review.old_object, nullptr);
  ASSERT_NE(review.object, nullptr);
}

TEST(ReviewTest, ItsObjectCanBeDecoded) {
  const Result<std::unique_ptr<Review>> review = Review::Read(kPodReview);
  ASSERT_TRUE(review.ok());
  const std::string name = "request.object";
  api::Decoded decoded;
  api::Problems problems;
  ASSERT_TRUE(api::DecodeObject(api::ItemDocument(*(*review)->object, name), decoded, problems));
  EXPECT_EQ(std::get<api::Pod>(decoded.object).spec.containers.at(0).image, "caf\xC3\xA9");
}

TEST(ReviewTest, WhatMayBeAbsent) {
  const Result<std::unique_ptr<Review>> read = Review::Read(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE",)"
      R"("kind":{"group":"apps","version":"v1","kind":"Deployment"},"resource":{"resource":"deployments"},)"
      R"("subResource":"scale","name":"web","oldObject":{"kind":"Scale"}}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Review& review = **read;
  EXPECT_EQ(review.operation, Operation::kDelete);
  EXPECT_EQ(review.group, "apps");
  EXPECT_EQ(review.subresource, "scale");
  EXPECT_EQ(review.name, "web");
  EXPECT_EQ(review.user, "");
  EXPECT_THAT(review.groups, testing::IsEmpty());
  EXPECT_FALSE(review.dry_run);
  EXPECT_EQ(review.object, nullptr);
  EXPECT_NE(review.old_object, nullptr);
}

TEST(ReviewTest, EveryOperation) {
  const std::pair<std::string, Operation> rows[] = {{"CREATE", Operation::kCreate},
                                                    {"UPDATE", Operation::kUpdate},
                                                    {"DELETE", Operation::kDelete},
                                                    {"CONNECT", Operation::kConnect}};
  for (const auto& [name, operation] : rows) {
    const Result<std::unique_ptr<Review>> review = Review::Read(With("\"CREATE\"", "\"" + name + "\""));
    ASSERT_TRUE(review.ok()) << name;
    EXPECT_EQ((*review)->operation, operation) << name;
  }
}

struct WrongField {
  std::string from, to, error;
};

TEST(ReviewTest, WrongFieldsAreNamed) {
  const std::string long_name(200, 'x');
  const WrongField rows[] = {
      {"admission.k8s.io/v1", "admission.k8s.io/v1beta1",
       "apiVersion: \"admission.k8s.io/v1beta1\": only admission.k8s.io/v1 is spoken"},
      {"\"admission.k8s.io/v1\"", "1", "apiVersion: expected a string, found a number"},
      {"\"apiVersion\": \"admission.k8s.io/v1\", ", "", "apiVersion: is missing"},
      {"AdmissionReview", "TokenReview", "kind: \"TokenReview\": expected AdmissionReview"},
      {"\"request\"", "\"requests\"", "request: is missing"},
      {"\"request\": {", "\"request\": null, \"was\": {", "request: is missing"},
      {"\"request\": {", "\"request\": [], \"was\": {", "request: expected an object, found an array"},
      {"\"u-1\"", "\"\"", "request.uid: is missing"},
      {"\"u-1\"", "7", "request.uid: expected a string, found a number"},
      {"\"kind\": {\"group\": \"\"", "\"kind\": {\"group\": 1",
       "request.kind.group: expected a string, found a number"},
      {"\"kind\": {\"group\": \"\", \"version\": \"v1\", \"kind\": \"Pod\"}", "\"kind\": {\"version\": \"v1\"}",
       "request.kind.kind: is missing"},
      {"\"kind\": {\"group\": \"\", \"version\": \"v1\", \"kind\": \"Pod\"}", "\"kind\": \"Pod\"",
       "request.kind: expected an object, found a string"},
      {"\"resource\": \"pods\"", "\"resource\": null", "request.resource.resource: is missing"},
      {"\"resource\": {\"group\": \"\"", "\"resource\": {\"group\": []",
       "request.resource.group: expected a string, found an array"},
      {"\"CREATE\"", "\"PATCH\"", "request.operation: \"PATCH\" is none of CREATE, UPDATE, DELETE, CONNECT"},
      {"\"CREATE\"", "\"" + long_name + "\"",
       "request.operation: \"" + std::string(61, 'x') + "...\" is none of CREATE, UPDATE, DELETE, CONNECT"},
      {"\"CREATE\"", "null", "request.operation: is missing"},
      {"\"namespace\": \"shop\"", "\"namespace\": {}", "request.namespace: expected a string, found an object"},
      {"\"jane\"", "true", "request.userInfo.username: expected a string, found a boolean"},
      {"[\"dev\", ", "[\"dev\", null, ", "request.userInfo.groups[1]: expected a string, found null"},
      {"[\"dev\", \"system:authenticated\"]", "\"dev\"", "request.userInfo.groups: expected an array, found a string"},
      {"\"dryRun\": true", "\"dryRun\": 1", "request.dryRun: expected a boolean, found a number"},
      {"\"oldObject\": null", "\"oldObject\": \"x\"", "request.oldObject: expected an object, found a string"},
      {"\"object\": {", "\"object\": [], \"was\": {", "request.object: expected an object, found an array"},
  };
  for (const WrongField& row : rows) EXPECT_EQ(ErrorOf(With(row.from, row.to)), row.error) << row.from << row.to;
}

TEST(ReviewTest, BodiesThatAreNone) {
  EXPECT_EQ(ErrorOf(""), "the body is no JSON: it ends too early");
  EXPECT_EQ(ErrorOf("{\"kind\": \"Adm"), "the body is no JSON: it ends too early");
  EXPECT_THAT(ErrorOf("kind: AdmissionReview"), StartsWith("the body is no JSON, at byte 0: "));
  EXPECT_EQ(ErrorOf("[]"), "expected an object, found an array");
  EXPECT_EQ(ErrorOf(With("\"u-1\"", "\"u-\xFF\"")),
            "the body is no UTF-8, at byte " + std::to_string(std::string(kPodReview).find("u-1") + 2));
  EXPECT_THAT(ErrorOf(With("\"u-1\"", "\"\xED\xA0\x80\"")), StartsWith("the body is no UTF-8"));
  EXPECT_THAT(ErrorOf(std::string(kPodReview) + "{}"), StartsWith("the body goes on after its JSON, at byte "));
  EXPECT_THAT(ErrorOf(std::string(kPodReview) + '\0'), StartsWith("the body goes on after its JSON, at byte "));
  EXPECT_THAT(ErrorOf(With("\"uid\": \"u-1\"", "\"uid\": \"u-1\", \"uid\": \"u-2\"")),
              StartsWith("duplicate key \"uid\", at byte "));
  EXPECT_THAT(ErrorOf(With("{\"a\": [1]}", std::string(100000, '['))), HasSubstr("nested deeper than"));
}

TEST(ReviewTest, EveryTruncationIsAnError) {
  const std::string whole = kPodReview;
  const size_t end = whole.rfind('}');
  for (size_t size = 0; size <= end; ++size) EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  EXPECT_EQ(ErrorOf(whole.substr(0, end + 1)), "");
}

// ---- answers ----

TEST(AnswerTest, Allowed) {
  EXPECT_EQ(WriteAnswer("u", {}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true}})");
}

TEST(AnswerTest, EverythingOfARefusal) {
  const Answer answer{
      .allowed = false, .message = "0/3 nodes: \"no\"", .warnings = {"one", "two"}, .audit = {{"decision", "deny"}}};
  EXPECT_EQ(WriteAnswer("u\"1", answer),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u\"1","allowed":false,)"
            R"("status":{"status":"Failure","message":"0/3 nodes: \"no\"","reason":"Forbidden","code":403},)"
            R"("warnings":["one","two"],"auditAnnotations":{"decision":"deny"}}})");
}

// The answer's response, parsed.
rapidjson::Document Response(const Answer& answer) {
  rapidjson::Document document, response;
  const std::string text = WriteAnswer("u", answer);
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  EXPECT_FALSE(document.HasParseError()) << text;
  response.CopyFrom(document["response"], response.GetAllocator());
  return response;
}

TEST(AnswerTest, ControlCharactersAndBrokenTextAreReplaced) {
  const Answer answer{.allowed = false,
                      .message = "a\nb\x7F\xC2\x9Fz\xC2\xA9",
                      .warnings = {std::string("w\0x\xFFy\xC2", 6)},
                      .audit = {{"k", "v\tw"}}};
  const rapidjson::Document response = Response(answer);
  EXPECT_STREQ(response["status"]["message"].GetString(), "a b  z\xC2\xA9");
  EXPECT_STREQ(response["warnings"][0].GetString(), "w x\xEF\xBF\xBDy\xEF\xBF\xBD");
  EXPECT_STREQ(response["auditAnnotations"]["k"].GetString(), "v w");
}

TEST(AnswerTest, TooLongTextsAreShortened) {
  const Answer answer{
      .allowed = false, .message = std::string(5000, 'm'), .warnings = {std::string(120, 'a'), std::string(121, 'b')}};
  const rapidjson::Document response = Response(answer);
  EXPECT_EQ(response["status"]["message"].GetStringLength(), kMaxMessageBytes);
  EXPECT_EQ(std::string(response["warnings"][0].GetString()), std::string(120, 'a'));
  EXPECT_EQ(std::string(response["warnings"][1].GetString()), std::string(117, 'b') + "...");
}

TEST(AnswerTest, WarningsThatFitTogetherAreAllThere) {
  Answer answer;
  answer.warnings.assign(34, std::string(120, 'w'));
  answer.warnings.emplace_back(16, 'v');  // 4096 bytes
  EXPECT_EQ(Response(answer)["warnings"].Size(), 35U);
}

TEST(AnswerTest, WarningsThatDoNotFitAreCounted) {
  Answer answer;
  answer.warnings.assign(100, std::string(120, 'w'));
  const rapidjson::Document response = Response(answer);
  const auto warnings = response["warnings"].GetArray();
  size_t total = 0;
  for (const auto& warning : warnings) total += warning.GetStringLength();
  EXPECT_LE(total, kMaxWarningsBytes);
  ASSERT_EQ(warnings.Size(), 34U);
  EXPECT_STREQ(warnings[33].GetString(), "67 more warnings");
}

TEST(ShortenedTest, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(Shortened("ab\xC3\xA9"
                      "defg",
                      6),
            "ab...");
  EXPECT_EQ(Shortened("a\xC3\xA9"
                      "defgh",
                      6),
            "a\xC3\xA9...");
  EXPECT_EQ(Shortened("\xF0\x9F\x98\x80"
                      "abcdef",
                      6),
            "...");
  EXPECT_EQ(Shortened("abc", 2), "ab");
  EXPECT_EQ(Shortened("abc", 0), "");
}

}  // namespace
}  // namespace ksched::webhook
