#include "kube/lease_object.h"

#include <rapidjson/document.h>

#include "api/json_values.h"
#include "api/raw_object.h"
#include "kube/json_body.h"

namespace ksched::kube {
namespace {

using api::TextAt;

// False if it is no object with metadata.
bool Parse(std::string_view json, rapidjson::Document& lease) {
  lease.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (lease.HasParseError() || !lease.IsObject()) return false;
  const rapidjson::Value* metadata = api::FindField(lease, {"metadata"});
  return metadata != nullptr && metadata->IsObject();
}

int64_t NumberAt(const rapidjson::Value& object, std::initializer_list<const char*> path) {
  const rapidjson::Value* value = api::FindField(object, path);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

Error NoLease() { return Error{"the server's answer is no Lease"}; }

void WriteSpec(JsonBody& body, const LeaseRecord& record) {
  body.Text("holderIdentity", record.holder);
  body.Number("leaseDurationSeconds", record.duration_seconds);
  body.TextUnlessEmpty("acquireTime", record.acquire_time);
  body.TextUnlessEmpty("renewTime", record.renew_time);
  body.Number("leaseTransitions", record.transitions);
}

}  // namespace

Result<LeaseRecord> ReadLease(std::string_view lease) {
  rapidjson::Document json;
  if (!Parse(lease, json)) return NoLease();
  return LeaseRecord{.holder = TextAt(json, {"spec", "holderIdentity"}),
                     .duration_seconds = NumberAt(json, {"spec", "leaseDurationSeconds"}),
                     .acquire_time = TextAt(json, {"spec", "acquireTime"}),
                     .renew_time = TextAt(json, {"spec", "renewTime"}),
                     .transitions = NumberAt(json, {"spec", "leaseTransitions"}),
                     .strategy = TextAt(json, {"spec", "strategy"}),
                     .preferred_holder = TextAt(json, {"spec", "preferredHolder"})};
}

Result<std::string> LeaseWith(std::string_view lease, const LeaseRecord& record) {
  rapidjson::Document json;
  if (!Parse(lease, json)) return NoLease();
  JsonBody body;
  WriteSpec(body, record);
  rapidjson::Document spec(&json.GetAllocator());
  const std::string text = body.Take();
  spec.Parse(text.data(), text.size());
  json.RemoveMember("spec");
  json.AddMember("spec", spec, json.GetAllocator());
  return api::ToJson(json);
}

std::string NewLease(std::string_view ns, std::string_view name, const LeaseRecord& record) {
  JsonBody body;
  body.Text("apiVersion", "coordination.k8s.io/v1");
  body.Text("kind", "Lease");
  WriteMetadata(body, ns, name);
  body.Open("spec");
  WriteSpec(body, record);
  body.Close();
  return body.Take();
}

}  // namespace ksched::kube
