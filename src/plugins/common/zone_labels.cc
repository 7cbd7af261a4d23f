#include "plugins/common/zone_labels.h"

namespace ksched {

std::vector<std::string> SplitZones(std::string_view label) {
  constexpr std::string_view kDelimiter = "__", kBlanks = " \t\n\v\f\r";
  std::vector<std::string> zones;
  while (true) {
    const size_t end = label.find(kDelimiter);
    std::string_view zone = label.substr(0, end);
    const size_t first = zone.find_first_not_of(kBlanks);
    zone = first == std::string_view::npos ? std::string_view() : zone.substr(first);
    zones.emplace_back(zone.substr(0, zone.find_last_not_of(kBlanks) + 1));
    if (end == std::string_view::npos) return zones;
    label.remove_prefix(end + kDelimiter.size());
  }
}

}  // namespace ksched
