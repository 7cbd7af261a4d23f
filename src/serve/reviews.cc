#include "serve/reviews.h"

#include <openssl/sha.h>
#include <rapidjson/document.h>

#include <utility>

#include "api/json_values.h"
#include "kube/json_body.h"

namespace ksched::serve {
namespace {

constexpr const char* kTokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
constexpr const char* kAccessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

using Json = rapidjson::Value;

bool IsTrue(const Json* value) { return value != nullptr && value->IsTrue(); }

std::vector<std::string> ListOf(const Json* value) {
  std::vector<std::string> list;
  if (value == nullptr || !value->IsArray()) return list;
  for (const Json& one : value->GetArray()) list.push_back(api::TextAt(one, {}));
  return list;
}

// The status of a review; null if the answer is none.
const Json* Status(rapidjson::Document& document, std::string_view body) {
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  return document.HasParseError() ? nullptr : api::FindField(document, {"status"});
}

Result<TokenReviews::Answer> ReadTokenAnswer(std::string_view body) {
  rapidjson::Document document;
  const Json* status = Status(document, body);
  if (status == nullptr) return Error{"the answer to a TokenReview is none"};
  if (!IsTrue(api::FindField(*status, {"authenticated"}))) return TokenReviews::Answer();
  User user{.name = api::TextAt(*status, {"user", "username"}),
            .uid = api::TextAt(*status, {"user", "uid"}),
            .groups = ListOf(api::FindField(*status, {"user", "groups"}))};
  if (const Json* extra = api::FindField(*status, {"user", "extra"}); extra != nullptr && extra->IsObject()) {
    for (const auto& [key, values] : extra->GetObject()) user.extra[api::TextAt(key, {})] = ListOf(&values);
  }
  return TokenReviews::Answer(std::move(user));
}

Result<AccessAnswer> ReadAccessAnswer(std::string_view body) {
  rapidjson::Document document;
  const Json* status = Status(document, body);
  if (status == nullptr) return Error{"the answer to a SubjectAccessReview is none"};
  const bool allowed = IsTrue(api::FindField(*status, {"allowed"})) && !IsTrue(api::FindField(*status, {"denied"}));
  return AccessAnswer{allowed, api::TextAt(*status, {"reason"})};
}

// No token is kept.
std::string HashOf(const std::string& token) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), hash);
  return {reinterpret_cast<const char*>(hash), sizeof hash};
}

void WriteList(api::JsonOutput& json, const std::vector<std::string>& list) {
  json.StartArray();
  for (const std::string& one : list) json.Write(one);
  json.EndArray();
}

std::string AccessBody(const User& user, const std::string& verb, const std::string& path) {
  std::string text;
  const api::JsonOptions options{};
  api::JsonOutput json(text, options);
  const auto field = [&](std::string_view name, const std::string& value) {
    json.Key(name);
    json.Write(value);
  };
  json.StartObject();
  field("apiVersion", "authorization.k8s.io/v1");
  field("kind", "SubjectAccessReview");
  json.Key("spec");
  json.StartObject();
  json.Key("nonResourceAttributes");
  json.StartObject();
  field("path", path);
  field("verb", verb);
  json.EndObject();
  field("user", user.name);
  if (!user.uid.empty()) field("uid", user.uid);
  json.Key("groups");
  WriteList(json, user.groups);
  json.Key("extra");
  json.StartObject();
  for (const auto& [key, values] : user.extra) {
    json.Key(key);
    WriteList(json, values);
  }
  json.EndObject();
  json.EndObject();
  json.EndObject();
  return text;
}

}  // namespace

void TokenReviews::Review(const std::string& token, Asked<Answer>::Done done) {
  const std::string key = HashOf(token);
  if (!asked_.Ask(key, std::move(done))) return;
  kube::JsonBody body;
  body.Text("apiVersion", "authentication.k8s.io/v1");
  body.Text("kind", "TokenReview");
  body.Open("spec");
  body.Text("token", token);
  body.Close();
  client_.Post(kTokenReviews, body.Take(), [this, key](const kube::ApiError* error, std::string_view answer) {
    asked_.Tell(key, error == nullptr ? ReadTokenAnswer(answer) : Result<Answer>(error->ToError()), keep_);
  });
}

void AccessReviews::Review(const User& user, const std::string& verb, const std::string& path,
                           Asked<AccessAnswer>::Done done) {
  const std::string body = AccessBody(user, verb, path);
  if (!asked_.Ask(body, std::move(done))) return;
  client_.Post(kAccessReviews, body, [this, body](const kube::ApiError* error, std::string_view answer) {
    const auto read = error == nullptr ? ReadAccessAnswer(answer) : Result<AccessAnswer>(error->ToError());
    asked_.Tell(body, read, read && read->allowed ? keep_allowed_ : keep_denied_);
  });
}

}  // namespace ksched::serve
