// Prints what a simulation would be given, as JSON, one line each: for the comparison with what an API server stores.
//
//   admission_probe load SNAPSHOT MANIFEST [EVENTS]   what LoadInput and the controllers' first steps make of them
//   admission_probe print FILE                        objects as they are stored, by the same writer
//
// A line is {"pod": object, "source": "Deployment shop/web"}, {"claim": object, "source": ...}, {"object": object} or
// {"rejected": message, "namespace": ..., "name": ..., "source": ...}. Pods of the manifest that are no workload's are
// printed if an event of EVENTS updates them: only these are kept whole.
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "api/json_writer.h"
#include "manifest/decode.h"
#include "manifest/loader.h"
#include "quoted.h"

namespace ksched {
namespace {

// The controllers make one pod at a time at the least: nothing here has so many.
constexpr int kMaxSteps = 1000;

void PrintObject(const char* what, const api::Decoded& decoded, const std::string& source) {
  std::string text;
  if (auto done = api::AppendJson(decoded, text); !done) text = Quoted(done.error().message);
  std::cout << "{\"" << what << "\": " << text << ", \"source\": " << Quoted(source) << "}\n";
}

void PrintObject(const char* what, const char* kind, api::Object object, const std::string& source) {
  PrintObject(what, {api::KindClass::kScheduling, "v1", kind, std::move(object)}, source);
}

void PrintRejection(const InputRejection& one) {
  std::cout << "{\"rejected\": " << Quoted(one.message) << ", \"namespace\": " << Quoted(one.ns)
            << ", \"name\": " << Quoted(one.name) << ", \"source\": " << Quoted(one.source) << "}\n";
}

bool BelongsToPod(const api::PersistentVolumeClaim& claim) {
  return !claim.metadata.owner_references.empty() && claim.metadata.owner_references.front().kind == "Pod";
}

// As Simulation::Create: a StatefulSet's claims come before the pod and stay, whatever becomes of it; those of
// ephemeral volumes follow it.
Result<void> Admit(controllers::NewPod& made, const std::string& source, Admission& admission) {
  for (api::PersistentVolumeClaim& claim : made.claims) {
    if (BelongsToPod(claim)) continue;
    if (auto done = admission.AdmitClaim(claim); !done) return done;
    PrintObject("claim", "PersistentVolumeClaim", claim, source);
  }
  if (auto done = admission.Admit(made.pod); !done) return done;
  for (api::PersistentVolumeClaim& claim : made.claims) {
    if (!BelongsToPod(claim) || !admission.AdmitClaim(claim)) continue;
    PrintObject("claim", "PersistentVolumeClaim", claim, source);
  }
  return {};
}

// The pods that the controller makes before any of them is ready.
void RunWorkload(InputWorkload& workload, Admission& admission) {
  for (int i = 0; i < kMaxSteps; ++i) {
    controllers::Step step = workload.controller->Sync();
    if (step.create.empty()) return;
    for (controllers::NewPod& made : step.create) {
      if (auto done = Admit(made, workload.source, admission); !done) {
        PrintRejection({workload.ns, made.pod.metadata.name, workload.source, done.error().message});
        workload.controller->PodRejected(made.pod.metadata.name);
        continue;
      }
      PrintObject("pod", "Pod", std::move(made.pod), workload.source);
    }
  }
}

int Load(InputOptions options) {
  ResourceNames names;
  PodStore store(names, {});
  LoadedInput loaded = LoadInput(options, store);
  for (const std::string& error : loaded.errors) std::cerr << "error: " << error << '\n';
  for (const std::string& notice : loaded.notices) std::cerr << notice << '\n';
  if (!loaded.errors.empty()) return 2;
  for (auto& [key, pod] : loaded.input.event_pods) PrintObject("pod", "Pod", std::move(pod), "");
  for (const InputRejection& one : loaded.input.rejections) PrintRejection(one);
  for (InputWorkload& workload : loaded.input.workloads) RunWorkload(workload, loaded.input.admission);
  return 0;
}

int Print(const std::string& file) {
  api::Problems problems;
  const auto visit = [&](const api::Document& document) {
    api::Decoded decoded;
    if (!DecodeInto("default", document, api::ValidationMode::kStored, decoded, problems)) return;
    if (decoded.kind_class == api::KindClass::kScheduling) PrintObject("object", decoded, "");
  };
  const auto read = api::ReadDocuments(file, visit, problems);
  if (!read) std::cerr << "error: " << read.error().message << '\n';
  for (const api::Problem& problem : problems) std::cerr << "error: " << problem.ToString() << '\n';
  return read && problems.empty() ? 0 : 2;
}

int Main(int count, char** arguments) {
  const std::string_view command = count > 1 ? arguments[1] : "";
  if (command == "print" && count == 3) return Print(arguments[2]);
  if (command != "load" || count < 4 || count > 5) {
    std::cerr << "usage: admission_probe load SNAPSHOT MANIFEST [EVENTS] | print FILE\n";
    return 2;
  }
  InputOptions options;
  options.snapshots = {arguments[2]};
  options.manifests = {arguments[3]};
  if (count == 5) options.events = arguments[4];
  options.admission = AdmissionPlugins::all();
  return Load(std::move(options));
}

}  // namespace
}  // namespace ksched

int main(int count, char** arguments) { return ksched::Main(count, arguments); }
