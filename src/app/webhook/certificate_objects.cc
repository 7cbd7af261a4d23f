#include "app/webhook/certificate_objects.h"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <array>
#include <utility>
#include <vector>

#include "api/json_values.h"
#include "api/raw_object.h"
#include "kube/json_body.h"
#include "kube/kubeconfig_base64.h"

namespace ksched::webhook {
namespace {

using rapidjson::Value;

using Text = rapidjson::Writer<rapidjson::StringBuffer>;

Result<rapidjson::Document> Parse(std::string_view json, const char* kind) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  const bool good = !document.HasParseError() && document.IsObject();
  const Value* metadata = good ? api::FindField(document, {"metadata"}) : nullptr;
  if (metadata == nullptr || !metadata->IsObject()) {
    return Error{std::string("the server's answer is no ") + kind};
  }
  return document;
}

// The keys of the Secret, those that a kubernetes.io/tls one has among them.
template <typename Certificates>
auto Parts(Certificates& certificates) {
  return std::array{std::pair("ca.crt", &certificates.authority.certificate_pem),
                    std::pair("ca.key", &certificates.authority.key_pem),
                    std::pair("previous-ca.crt", &certificates.previous_authorities),
                    std::pair("tls.crt", &certificates.serving.certificate_pem),
                    std::pair("tls.key", &certificates.serving.key_pem)};
}

std::vector<const Value*> Webhooks(const Value& configuration) {
  std::vector<const Value*> found;
  const Value* list = api::FindField(configuration, {"webhooks"});
  if (list == nullptr || !list->IsArray()) return found;
  for (const Value& one : list->GetArray()) found.push_back(&one);
  return found;
}

void WriteMember(Text& json, const char* name, std::string_view value) {
  json.Key(name);
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void WriteOperation(Text& json, const char* operation, const std::string& path, const std::string& value) {
  json.StartObject();
  WriteMember(json, "op", operation);
  WriteMember(json, "path", path);
  WriteMember(json, "value", value);
  json.EndObject();
}

}  // namespace

Result<StoredCertificates> ReadSecret(std::string_view secret) {
  auto json = Parse(secret, "Secret");
  if (!json) return std::move(json).error();
  StoredCertificates certificates;
  for (const auto& [key, text] : Parts(certificates)) {
    if (auto decoded = kube::DecodeBase64(api::TextAt(*json, {"data", key}))) *text = std::move(*decoded);
  }
  return certificates;
}

std::string SecretWith(std::string_view secret, const StoredCertificates& certificates) {
  auto json = Parse(secret, "Secret");
  if (!json) return "";
  auto& allocator = json->GetAllocator();
  if (const auto data = json->FindMember("data"); data == json->MemberEnd() || !data->value.IsObject()) {
    json->RemoveMember("data");
    json->AddMember("data", Value(rapidjson::kObjectType), allocator);
  }
  Value& data = (*json)["data"];
  for (const auto& [key, text] : Parts(certificates)) {
    data.RemoveMember(key);
    if (text->empty()) continue;
    data.AddMember(rapidjson::StringRef(key), Value(kube::EncodeBase64(*text).c_str(), allocator), allocator);
  }
  return api::ToJson(*json);
}

std::string NewSecret(const std::string& ns, const std::string& name, const StoredCertificates& certificates) {
  kube::JsonBody body;
  body.Text("apiVersion", "v1");
  body.Text("kind", "Secret");
  body.Text("type", "kubernetes.io/tls");
  kube::WriteMetadata(body, ns, name);
  body.Open("data");
  for (const auto& [key, text] : Parts(certificates)) body.TextUnlessEmpty(key, kube::EncodeBase64(*text));
  body.Close();
  return body.Take();
}

Result<std::string> BundleOf(std::string_view configuration) {
  auto json = Parse(configuration, "ValidatingWebhookConfiguration");
  if (!json) return std::move(json).error();
  const std::vector<const Value*> webhooks = Webhooks(*json);
  if (webhooks.empty()) return Error{"the ValidatingWebhookConfiguration has no webhooks"};
  std::string common;
  for (const Value* webhook : webhooks) {
    std::string bundle = api::TextAt(*webhook, {"clientConfig", "caBundle"});
    if (bundle.empty() || (!common.empty() && bundle != common)) return std::string();
    common = std::move(bundle);
  }
  auto decoded = kube::DecodeBase64(common);
  return decoded ? std::move(*decoded) : std::string();
}

std::string BundlePatch(std::string_view configuration, std::string_view bundle) {
  auto json = Parse(configuration, "ValidatingWebhookConfiguration");
  if (!json) return "";
  rapidjson::StringBuffer out;
  Text patch(out);
  patch.StartArray();
  // A version that is not the newest any more is a conflict.
  WriteOperation(patch, "replace", "/metadata/resourceVersion", api::TextAt(*json, {"metadata", "resourceVersion"}));
  const size_t webhooks = Webhooks(*json).size();
  for (size_t i = 0; i < webhooks; ++i) {
    WriteOperation(patch, "add", fmt::format("/webhooks/{}/clientConfig/caBundle", i), kube::EncodeBase64(bundle));
  }
  patch.EndArray();
  return std::string(out.GetString(), out.GetSize());
}

}  // namespace ksched::webhook
