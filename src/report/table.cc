#include "report/table.h"

#include <algorithm>
#include <map>

#include <boost/unordered/unordered_flat_map.hpp>

#include "report/columns.h"
#include "report/explain.h"

namespace ksched {
namespace {

constexpr size_t kNodeColumns = 60;  // as wide as names of several nodes may get
constexpr std::string_view kOtherScheduler = "OtherScheduler";
constexpr std::string_view kRejected = "Rejected";

// One line: a pod, or replicas that agree.
struct Line {
  const PodOutcome* pod = nullptr;  // the first
  size_t count = 0;
  std::map<std::string, size_t> nodes;
};

// The pods that the table shows, and how many it does not.
struct Shown {
  std::vector<const PodOutcome*> pods;
  std::vector<const OtherSchedulerPod*> other_schedulers;
  std::vector<const PodOutcome*> rest;
  size_t rest_of_other_schedulers = 0;
};

Shown Choose(const SchedulingReport& report) {
  const auto of_manifest = [](const auto& pod) { return pod.from_manifest; };
  const bool all = std::ranges::none_of(report.pods, of_manifest) &&
                   std::ranges::none_of(report.other_schedulers, of_manifest) && report.rejected.empty() &&
                   report.workloads.empty();
  Shown shown;
  for (const PodOutcome& pod : report.pods) (all || pod.from_manifest ? shown.pods : shown.rest).push_back(&pod);
  for (const OtherSchedulerPod& pod : report.other_schedulers) {
    if (all || pod.from_manifest) {
      shown.other_schedulers.push_back(&pod);
    } else {
      ++shown.rest_of_other_schedulers;
    }
  }
  return shown;
}

std::string JoinVictims(const PodOutcome& pod) { return NameSome(pod.victims, 0); }

// What lines of one workload must agree in to be one.
std::string AgreementKey(const PodOutcome& pod, bool wide) {
  std::string key = pod.ns + '\n' + pod.source + '\n' + pod.result + '\n' + pod.message;
  if (wide) {
    key += '\n' + pod.scheduler_name + '\n' + std::to_string(pod.priority) + '\n' + std::to_string(pod.attempts) +
           '\n' + JoinVictims(pod);
  }
  return key;
}

std::vector<Line> Collapse(const std::vector<const PodOutcome*>& pods, bool wide) {
  std::vector<Line> lines;
  boost::unordered_flat_map<std::string, size_t> by_key;
  for (const PodOutcome* pod : pods) {
    size_t index = lines.size();
    if (!pod->source.empty()) index = by_key.try_emplace(AgreementKey(*pod, wide), index).first->second;
    if (index == lines.size()) lines.push_back({pod});
    Line& line = lines[index];
    ++line.count;
    if (!pod->node.empty()) ++line.nodes[pod->node];
  }
  return lines;
}

// "web (12 replicas)"; of a workload ("Deployment shop/web") only its name is said.
std::string ReplicasText(const std::string& source, size_t count) {
  const size_t slash = source.find_last_of("/ ");
  return source.substr(slash == std::string::npos ? 0 : slash + 1) + " (" + std::to_string(count) + " replicas)";
}

std::string PodText(const Line& line) {
  return line.count == 1 ? line.pod->name : ReplicasText(line.pod->source, line.count);
}

// Pods that admission refuses for the same reason, or one.
struct RejectedLine {
  const RejectedPod* pod = nullptr;
  size_t count = 0;
};

std::vector<RejectedLine> Collapse(const std::vector<RejectedPod>& rejected) {
  std::vector<RejectedLine> lines;
  boost::unordered_flat_map<std::string, size_t> by_key;
  for (const RejectedPod& pod : rejected) {
    size_t index = lines.size();
    if (!pod.source.empty()) {
      // The message names the pod; what follows is what replicas have in common.
      const size_t reason = pod.message.find(" is forbidden: ");
      const std::string common = pod.message.substr(reason == std::string::npos ? 0 : reason);
      index = by_key.try_emplace(pod.source + '\n' + common, index).first->second;
    }
    if (index == lines.size()) lines.push_back({&pod});
    ++lines[index].count;
  }
  return lines;
}

// "node-a (5), node-b (7)".
std::string NodeText(const Line& line, bool wide) {
  if (line.count == 1) return line.pod->node;
  std::vector<std::string> texts;
  texts.reserve(line.nodes.size());
  for (const auto& [node, count] : line.nodes) {
    texts.push_back(count == 1 ? node : node + " (" + std::to_string(count) + ")");
  }
  size_t fit = 0;
  for (size_t width = 0; fit < texts.size(); ++fit) {
    width += texts[fit].size() + 2;
    if (width > kNodeColumns) break;
  }
  return NameSome(texts, wide ? 0 : std::max<size_t>(fit, 1));
}

Colour ColourOf(std::string_view result) {
  if (result == "Scheduled") return Colour::kGreen;
  if (result == "Unschedulable" || result == "Error") return Colour::kRed;
  return result == "Deleted" ? Colour::kNone : Colour::kYellow;
}

// Messages come from several places: as one line they stay in their column.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

void WritePods(const Shown& shown, const std::vector<RejectedPod>& rejected, const TableOptions& options,
               std::ostream& out) {
  const auto foreign = [&](const auto* pod) { return pod->ns != options.ns; };
  const bool namespaces = std::ranges::any_of(shown.pods, foreign) ||
                          std::ranges::any_of(shown.other_schedulers, foreign) ||
                          std::ranges::any_of(rejected, [&](const RejectedPod& pod) { return pod.ns != options.ns; });
  Columns columns({"NAMESPACE", "POD", "RESULT", "NODE", "SCHEDULER", "PRIORITY", "ATTEMPTS", "VICTIMS", "REASON"},
                  {false, false, false, false, false, true, true});
  for (const Line& line : Collapse(shown.pods, options.wide)) {
    const PodOutcome& pod = *line.pod;
    std::vector<Cell> row = {{namespaces ? pod.ns : ""},
                             {PodText(line)},
                             {pod.result, ColourOf(pod.result)},
                             {NodeText(line, options.wide)}};
    if (options.wide) {
      row.insert(
          row.end(),
          {{pod.scheduler_name}, {std::to_string(pod.priority)}, {std::to_string(pod.attempts)}, {JoinVictims(pod)}});
    }
    row.resize(8);
    row.push_back({OneLine(pod.message)});
    columns.Add(std::move(row));
  }
  for (const OtherSchedulerPod* pod : shown.other_schedulers) {
    columns.Add({{namespaces ? pod->ns : ""},
                 {pod->name},
                 {std::string(kOtherScheduler), Colour::kYellow},
                 {},
                 {options.wide ? pod->scheduler_name : ""},
                 {},
                 {},
                 {},
                 {"no profile of the configuration is for the scheduler " + OneLine(pod->scheduler_name)}});
  }
  for (const RejectedLine& line : Collapse(rejected)) {
    const RejectedPod& pod = *line.pod;
    columns.Add({{namespaces ? pod.ns : ""},
                 {line.count == 1 ? pod.name : ReplicasText(pod.source, line.count)},
                 {std::string(kRejected), Colour::kRed},
                 {},
                 {},
                 {},
                 {},
                 {},
                 {OneLine(pod.message)}});
  }
  columns.Write(out, options.colour);
}

// "17 pods: 12 scheduled, 4 unschedulable, 1 gated".
std::string Summary(const std::vector<const PodOutcome*>& pods, size_t other_schedulers, size_t rejected) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"Scheduled", "scheduled"}, {"Nominated", "nominated"}, {"Unschedulable", "unschedulable"},
      {"Gated", "gated"},         {"Error", "in error"},      {"Deleted", "deleted"}};
  const size_t total = pods.size() + other_schedulers + rejected;
  std::string text = std::to_string(total) + (total == 1 ? " pod" : " pods");
  const char* separator = ": ";
  const auto add = [&](size_t count, std::string_view word) {
    if (count == 0) return;
    text += separator + std::to_string(count) + " " + std::string(word);
    separator = ", ";
  };
  for (const auto& [result, word] : kWords) {
    const std::string_view wanted = result;
    add(static_cast<size_t>(std::ranges::count_if(pods, [&](const PodOutcome* pod) { return pod->result == wanted; })),
        word);
  }
  add(other_schedulers, "of other schedulers");
  add(rejected, "rejected by admission");
  return text;
}

// "Deployment shop/web: rollout, 2 of 5 pods are new, 3 old ones stay: ...", a line for each workload that is more than
// pods that all come at once.
void WriteWorkloads(const SchedulingReport& report, std::ostream& out) {
  for (const WorkloadReport& one : report.workloads) {
    if (one.change == "New") {
      if (!one.complete) out << one.workload << ": not complete: " << OneLine(one.waiting_for) << '\n';
      continue;
    }
    out << one.workload << ": ";
    size_t created = 0, removed = 0;
    for (const WorkloadStep& step : one.steps) created += step.created.size(), removed += step.removed.size();
    if (one.change == "Rollout") out << "rollout (" << one.changed_field << " changes), ";
    if (one.change == "Unchanged" && created + removed == 0) out << "it is there as wanted, ";
    out << created << " created, " << removed << " removed, " << one.updated << " of " << one.desired
        << (one.change == "Rollout" ? " of the new template" : " there");
    if (one.old != 0) out << ", " << one.old << " old left";
    if (!one.complete) out << "; not complete: " << OneLine(one.waiting_for);
    out << '\n';
  }
}

// "evicted for vip: shop/old-1, shop/old-2 and 3 more", a line for each pod that others had to leave for. The wide
// table has them in a column.
void WriteEvictions(const Shown& shown, std::ostream& out) {
  constexpr size_t max_lines = 10, max_names = 5;
  size_t lines = 0, others = 0;
  for (const PodOutcome* pod : shown.pods) {
    if (pod->victims.empty()) continue;
    if (++lines > max_lines) {
      others += pod->victims.size();
      continue;
    }
    out << "evicted for " << pod->name << ": ";
    const size_t named = std::min(pod->victims.size(), max_names);
    for (size_t i = 0; i < named; ++i) out << (i == 0 ? "" : ", ") << pod->victims[i];
    if (named < pod->victims.size()) out << " and " << pod->victims.size() - named << " more";
    out << '\n';
  }
  if (lines > max_lines) {
    out << "evicted for " << lines - max_lines << " other pods: " << others << " (-o wide names them)\n";
  }
}

void WriteExplanations(const SchedulingReport& report, const Shown& shown, const TableOptions& options,
                       std::ostream& out) {
  boost::unordered_flat_map<std::string_view, const CycleReport*> last;
  for (const CycleReport& cycle : report.cycles) last[cycle.pod] = &cycle;
  for (const PodOutcome* pod : shown.pods) {
    const auto found = last.find(pod->ns + "/" + pod->name);
    out << '\n';
    WriteExplanation(*pod, found == last.end() ? nullptr : found->second, {options.wide, options.colour}, out);
  }
}

}  // namespace

void WriteTable(const SchedulingReport& report, const TableOptions& options, std::ostream& out) {
  const Shown shown = Choose(report);
  if (shown.pods.empty() && shown.other_schedulers.empty() && report.rejected.empty()) {
    out << "no pods to schedule\n";
    WriteWorkloads(report, out);
    return;
  }
  WritePods(shown, report.rejected, options, out);
  if (options.explain) WriteExplanations(report, shown, options, out);
  out << '\n' << Summary(shown.pods, shown.other_schedulers.size(), report.rejected.size()) << '\n';
  if (!options.wide) WriteEvictions(shown, out);
  WriteWorkloads(report, out);
  if (!shown.rest.empty() || shown.rest_of_other_schedulers != 0) {
    out << "besides, pending in the cluster: " << Summary(shown.rest, shown.rest_of_other_schedulers, 0) << '\n';
  }
  if (report.truncated) out << "the run was cut off: pods were still being retried after the limit of cycles\n";
}

bool AllPlaced(const SchedulingReport& report, bool ignore_other_schedulers) {
  const Shown shown = Choose(report);
  if (!ignore_other_schedulers && !shown.other_schedulers.empty()) return false;
  if (!report.rejected.empty()) return false;
  if (!std::ranges::all_of(report.workloads, [](const WorkloadReport& one) { return one.complete; })) return false;
  return std::ranges::all_of(
      shown.pods, [](const PodOutcome* pod) { return pod->result == "Scheduled" || pod->result == "Deleted"; });
}

void WriteNames(const SchedulingReport& report, std::ostream& out) {
  const Shown shown = Choose(report);
  for (const PodOutcome* pod : shown.pods) out << "pod/" << pod->name << '\n';
  for (const OtherSchedulerPod* pod : shown.other_schedulers) out << "pod/" << pod->name << '\n';
}

}  // namespace ksched
