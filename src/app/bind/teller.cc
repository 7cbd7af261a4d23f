#include "app/bind/teller.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/json_output.h"

namespace ksched::bind {
namespace {

const char* ResultOf(const Target& target) {
  switch (target.state) {
    case Target::State::kBound:
      return "Bound";
    case Target::State::kLeftOut:
      return "LeftOut";
    default:
      return "NotBound";
  }
}

const char* NameOf(DryRun dry_run) {
  return dry_run == DryRun::kClient ? "client" : dry_run == DryRun::kServer ? "server" : "none";
}

void WriteText(api::JsonOutput& json, const char* name, const std::string& value) {
  if (value.empty()) return;
  json.Key(name);
  json.Write(value);
}

void WriteTarget(api::JsonOutput& json, const Target& target) {
  json.StartObject();
  WriteText(json, "namespace", target.ns);
  WriteText(json, "name", target.name);
  WriteText(json, "uid", target.uid);
  WriteText(json, "result", ResultOf(target));
  WriteText(json, "node", target.node);
  WriteText(json, "reason", target.why);
  if (!target.victims.empty()) {
    json.Key("victims");
    json.StartArray();
    for (const std::string& victim : target.victims) json.Write(victim);
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace

std::string Teller::Suffix() const {
  return dry_run_ == DryRun::kClient ? " (dry run)" : dry_run_ == DryRun::kServer ? " (server dry run)" : "";
}

void Teller::Progress(const std::string& line) { streams_.err << line << '\n' << std::flush; }

void Teller::Decided(const Target& target) {
  if (target.state == Target::State::kNotBound) return Error(fmt::format("pod {}: {}", target.Key(), target.why));
  if (target.state == Target::State::kLeftOut) {
    return Progress(fmt::format("pod {} is left out: {}", target.Key(), target.why));
  }
  if (output_ == Output::kJson) return;
  streams_.out << "pod/" << target.name;
  if (output_ == Output::kText) {
    streams_.out << " bound to node " << target.node;
    if (dry_run_ != DryRun::kNone && !target.victims.empty()) {
      streams_.out << fmt::format(" when {} are gone", fmt::join(target.victims, ", "));
    }
    streams_.out << Suffix();
  }
  streams_.out << '\n' << std::flush;
}

void Teller::End(std::span<const Target> targets) {
  if (output_ != Output::kJson) return;
  std::string text;
  const api::JsonOptions options{};
  api::JsonOutput json(text, options);
  json.StartObject();
  WriteText(json, "dryRun", NameOf(dry_run_));
  json.Key("pods");
  json.StartArray();
  for (const Target& target : targets) WriteTarget(json, target);
  json.EndArray();
  json.EndObject();
  streams_.out << text << '\n';
}

int ExitStatusOf(std::span<const Target> targets) {
  const auto count = [&](Target::State state) { return std::ranges::count(targets, state, &Target::state); };
  const auto bound = count(Target::State::kBound), left_out = count(Target::State::kLeftOut);
  const bool all = bound + left_out == static_cast<std::ptrdiff_t>(targets.size());
  return all && (bound > 0 || left_out == 0) ? cli::kExitSuccess : cli::kExitNotPlaced;
}

}  // namespace ksched::bind
