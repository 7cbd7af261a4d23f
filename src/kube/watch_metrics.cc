#include "kube/watch_metrics.h"

#include <fmt/format.h>

#include <functional>

namespace ksched::kube {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

double AgeSeconds(const ReflectorStatus& status, TimePoint now) {
  return std::chrono::duration<double>(now - status.last_event.value_or(now)).count();
}

class Exposition {
 public:
  explicit Exposition(std::span<const ReflectorStatus> statuses) : statuses_(statuses) {}

  void Add(std::string_view name, std::string_view type, std::string_view help,
           const std::function<double(const ReflectorStatus&)>& value) {
    text_ += fmt::format("# HELP ksched_watch_{0} {1}\n# TYPE ksched_watch_{0} {2}\n", name, help, type);
    for (const ReflectorStatus& status : statuses_) {
      text_ +=
          fmt::format("ksched_watch_{}{{resource=\"{}\"}} {}\n", name, status.resource->QualifiedName(), value(status));
    }
  }
  void Count(std::string_view name, std::string_view help, uint64_t ReflectorStatus::*member) {
    Add(name, "counter", help, [member](const ReflectorStatus& status) { return static_cast<double>(status.*member); });
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::span<const ReflectorStatus> statuses_;
  std::string text_;
};

}  // namespace

std::string WatchMetrics(std::span<const ReflectorStatus> statuses, const ChangeLedger& ledger, TimePoint now) {
  Exposition out(statuses);
  out.Add("synced", "gauge", "Whether all objects of the resource have been listed once.",
          [](const ReflectorStatus& status) { return status.synced ? 1 : 0; });
  out.Add("up", "gauge", "Whether a watch of the resource runs.",
          [](const ReflectorStatus& status) { return status.watching ? 1 : 0; });
  out.Add("objects", "gauge", "Objects of the resource.",
          [&](const ReflectorStatus& status) { return static_cast<double>(ledger.size(*status.resource)); });
  out.Add("last_event_age_seconds", "gauge", "Since the last event, bookmark or end of a list.",
          [now](const ReflectorStatus& status) { return AgeSeconds(status, now); });
  out.Count("events_total", "Events of watches.", &ReflectorStatus::events);
  out.Count("bookmarks_total", "Bookmarks of watches.", &ReflectorStatus::bookmarks);
  out.Count("lists_total", "Lists that were begun.", &ReflectorStatus::lists);
  out.Count("relists_total", "Lists that were begun because a watch could not go on.", &ReflectorStatus::relists);
  out.Count("errors_total", "Requests and streams that failed.", &ReflectorStatus::errors);
  out.Count("stalls_total", "Watches in which nothing came for too long.", &ReflectorStatus::stalls);
  out.Count("refused_total", "Objects that could not be read.", &ReflectorStatus::refused);
  out.Add(
      "repeats_total", "counter", "Objects that came again without being newer.",
      [&](const ReflectorStatus& status) { return static_cast<double>(ledger.counters(*status.resource).repeats); });
  out.Add("missed_total", "counter", "Deletions that only a new list showed.",
          [&](const ReflectorStatus& status) { return static_cast<double>(ledger.counters(*status.resource).missed); });
  return std::move(out).Take();
}

std::string NotReady(std::span<const ReflectorStatus> statuses, std::chrono::seconds limit, TimePoint now) {
  for (const ReflectorStatus& status : statuses) {
    if (!status.synced) return status.resource->QualifiedName() + " not listed yet";
    if (status.absent == Absence::kNo && AgeSeconds(status, now) > static_cast<double>(limit.count())) {
      return fmt::format("{}: nothing heard for {:.0f} s", status.resource->QualifiedName(), AgeSeconds(status, now));
    }
  }
  return "";
}

}  // namespace ksched::kube
