// What is exposed of watches, for scraping and for readiness.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "kube/change_ledger.h"
#include "kube/reflector.h"

namespace ksched::kube {

// The state of every watch in Prometheus' text format (version 0.0.4): ksched_watch_synced, _up, _objects,
// _last_event_age_seconds (events, bookmarks and ends of lists), and _events_total, _bookmarks_total, _lists_total,
// _relists_total, _errors_total, _stalls_total, _refused_total, _repeats_total, _missed_total; each with the label
// resource.
std::string WatchMetrics(std::span<const ReflectorStatus> statuses, const ChangeLedger& ledger,
                         std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

// Empty if everything has been listed and nothing is older than `limit`; else the first thing that is not so.
std::string NotReady(std::span<const ReflectorStatus> statuses, std::chrono::seconds limit,
                     std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

}  // namespace ksched::kube
