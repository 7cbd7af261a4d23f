#include "controllers/template_hash.h"

#include "api/json_writer.h"

namespace ksched::controllers {

std::string TemplateText(const api::PodTemplateSpec& pod_template) {
  api::Decoded decoded;
  decoded.kind_class = api::KindClass::kScheduling;
  decoded.api_version = "v1";
  decoded.kind = "PodTemplate";
  decoded.object.emplace<api::Workload>().pod_template = pod_template;
  std::string text;
  const auto done = api::AppendJson(decoded, text);  // fails for unknown kinds only
  return done ? text : std::string();
}

std::string HashOfTemplate(std::string_view text, uint32_t collisions) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint32_t hash = 2166136261U;
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 16777619U; };
  for (const char c : text) add(static_cast<unsigned char>(c));
  for (uint32_t left = collisions; left > 0; left >>= 8) add(static_cast<unsigned char>(left));
  std::string encoded = std::to_string(hash);
  for (char& c : encoded) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return encoded;
}

}  // namespace ksched::controllers
