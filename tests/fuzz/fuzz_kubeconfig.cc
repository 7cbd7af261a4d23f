// Any bytes are a kubeconfig or an error with a text. What is read comes back the same from its own rendering, merging
// it with itself changes nothing, and its contexts can be chosen.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "kube/client_config_resolve.h"
#include "kube/exec_credential.h"
#include "kube/kubeconfig_json.h"

namespace {

using namespace ksched::kube;  // NOLINT(google-build-using-namespace)

void ReadAnswer(std::string text) {
  const auto answer = ParseExecAnswer(std::move(text), "client.authentication.k8s.io/v1");
  if (answer ? answer->credential == Credential{} : answer.error().message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ReadAnswer(text);
  auto config = ParseKubeconfig(text);
  if (!config) {
    if (config.error().message.empty()) std::abort();
    return 0;
  }
  const std::string rendered = RenderKubeconfig(*config);
  auto again = ParseKubeconfig(rendered);
  if (!again || RenderKubeconfig(*again) != rendered) std::abort();
  MergeKubeconfig(*config, *again);
  if (RenderKubeconfig(*config) != rendered) std::abort();
  for (const auto& [name, context] : config->contexts) {
    ClientOptions options;
    options.context = name;
    const auto resolved = ResolveConfig(*config, options, "http://localhost:8080");
    if (!resolved) std::abort();
  }
  return 0;
}
