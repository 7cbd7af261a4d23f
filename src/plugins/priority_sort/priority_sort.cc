#include "plugins/priority_sort/priority_sort.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> PrioritySort::Create(const config::PluginArgs&, const PluginContext&) {
  return std::unique_ptr<Plugin>(std::make_unique<PrioritySort>());
}

bool PrioritySort::Less(const QueueSortKey& a, const QueueSortKey& b) const {
  return a.priority > b.priority || (a.priority == b.priority && a.timestamp < b.timestamp);
}

}  // namespace ksched
