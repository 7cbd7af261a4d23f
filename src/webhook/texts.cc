#include "webhook/texts.h"

#include <fmt/format.h>

#include "api/quantity.h"
#include "base/count_of.h"

namespace ksched::webhook {

std::string ReasonsOf(std::string_view message) {
  constexpr std::string_view kHead = " nodes are available: ";
  if (const size_t head = message.find(kHead); head != std::string_view::npos)
    message.remove_prefix(head + kHead.size());
  if (message.ends_with('.')) message.remove_suffix(1);
  return std::string(message);
}

std::string ReasonsOnNodes(std::span<const CountedReason> reasons) {
  std::string text;
  for (const CountedReason& reason : reasons) {
    if (!text.empty()) text += ", ";
    text += reason.text.starts_with("node(s)") ? fmt::format("{} {}", reason.nodes, reason.text)
                                               : fmt::format("{} on {}", reason.text, CountOf(reason.nodes, "node"));
  }
  return text;
}

std::string AmountText(ResourceId resource, int64_t amount) {
  if (resource == kCpu) return api::Quantity::FromMilli(amount).ToString();
  if (resource != kMemory && resource != kEphemeralStorage) return std::to_string(amount);
  constexpr int64_t kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;
  if (amount >= kGi && amount % kGi == 0) return std::to_string(amount / kGi) + "Gi";
  if (amount >= kMi) return std::to_string(amount / kMi) + "Mi";
  return std::to_string(amount);
}

}  // namespace ksched::webhook
