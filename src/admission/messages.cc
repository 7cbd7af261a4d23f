#include "admission/messages.h"

#include <algorithm>
#include <cctype>

namespace ksched {
namespace {

// Of an amount that somebody wrote with a decimal suffix. More come from sums with binary ones.
constexpr int kMostDigits = 5;

bool MeasuresBytes(std::string_view resource) {
  for (const std::string_view unit : {"memory", "storage"}) {
    if (resource.ends_with(unit)) return true;
  }
  return resource.find("hugepages-") != std::string_view::npos;
}

auto CountDigits(const std::string& text) {
  return std::ranges::count_if(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

Error Forbidden(std::string_view resource, const api::ObjectMeta& metadata, const std::string& reason) {
  const std::string& name = !metadata.name.empty() ? metadata.name : metadata.generate_name;
  return Error{std::string(resource) + " \"" + (name.empty() ? "Unknown" : name) + "\" is forbidden: " + reason};
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) all += separator;
    all += parts[i];
  }
  return all;
}

std::string Aggregate(const std::vector<std::string>& reasons) {
  std::vector<std::string> once;
  for (const std::string& reason : reasons) {
    if (std::ranges::find(once, reason) == once.end()) once.push_back(reason);
  }
  const std::string all = Join(once, ", ");
  return once.size() == 1 ? all : "[" + all + "]";
}

std::string QuantityText(std::string_view resource, const api::Quantity& quantity) {
  std::string decimal = quantity.ToString(api::QuantityFormat::kDecimalSI);
  if (!MeasuresBytes(resource)) return decimal;
  std::string binary = quantity.ToString(api::QuantityFormat::kBinarySI);
  const auto decimal_digits = CountDigits(decimal);
  return decimal_digits > kMostDigits || CountDigits(binary) <= decimal_digits ? binary : decimal;
}

}  // namespace ksched
