// Any bytes are a review or an error with a text. Its objects are decoded or have problems; what is answered to it is
// JSON, within the limits.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <rapidjson/document.h>

#include "api/item_document.h"
#include "api/json_output.h"
#include "api/objects.h"
#include "webhook/review.h"

namespace {

using ksched::webhook::Answer;
using ksched::webhook::Review;

void Decode(const ksched::api::Json* object, const std::string& name, Answer& answer) {
  if (object == nullptr) return;
  ksched::api::Decoded decoded;
  ksched::api::Problems problems;
  const bool good = ksched::api::DecodeObject(ksched::api::ItemDocument(*object, name), decoded, problems);
  if (good != problems.empty()) std::abort();
  for (const ksched::api::Problem& problem : problems) {
    answer.allowed = false;
    answer.message += problem.ToString() + "\n";
    answer.warnings.push_back(problem.ToString());
  }
}

void CheckAnswer(const std::string& uid, const Answer& answer) {
  const std::string text = WriteAnswer(uid, answer);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
  if (document.HasParseError()) std::abort();
  const rapidjson::Value& response = document["response"];
  const std::string echoed(response["uid"].GetString(), response["uid"].GetStringLength());
  if (echoed != ksched::api::ValidUtf8(uid)) std::abort();
  if (!answer.allowed && response["status"]["message"].GetStringLength() > ksched::webhook::kMaxMessageBytes) {
    std::abort();
  }
  if (!response.HasMember("warnings")) return;
  size_t total = 0;
  for (const auto& warning : response["warnings"].GetArray()) {
    if (warning.GetStringLength() > ksched::webhook::kMaxWarningBytes) std::abort();
    total += warning.GetStringLength();
  }
  if (total > ksched::webhook::kMaxWarningsBytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto review = Review::Read(text);
  if (!review.ok()) {
    if (review.error().message.empty()) std::abort();
    // The bytes may be no text: an answer is, whatever is told in it.
    CheckAnswer("u", {.allowed = false, .message = text, .warnings = {text, text}, .audit = {{"reason", text}}});
    return 0;
  }
  Answer answer;
  answer.audit.emplace_back("user", (*review)->user);
  Decode((*review)->object, "request.object", answer);
  Decode((*review)->old_object, "request.oldObject", answer);
  CheckAnswer((*review)->uid, answer);
  return 0;
}
