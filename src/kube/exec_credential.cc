#include "kube/exec_credential.h"

#include <utility>

#include "kube/process.h"

namespace ksched::kube {
namespace {

constexpr const char* kInstallHelp =
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.\n\nTo learn more "
    "about "
    "this feature, consult the documentation available at:\n      "
    "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins";

// An answer that came after another one is not asked for again that soon: several requests may see the same 401.
constexpr std::chrono::seconds kYoung{1};

bool IsControl(unsigned char c) { return (c < 0x20 && (c < '\t' || c > '\r')) || c == 0x7f; }

// Nothing that a terminal takes as a command: control characters become U+001B. The two-byte ones are 0xC2 0x80 to
// 0x9F.
std::string WithoutEscapes(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string clean;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    const bool second_set = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (second_set) c = static_cast<unsigned char>(text[++i]);
    if (second_set || IsControl(c)) {
      clean += "U+00";
      clean += kHex[c >> 4];
      clean += kHex[c & 15];
    } else {
      clean += text[i];
    }
  }
  return clean;
}

}  // namespace

Result<bool> IsInteractive(const KubeconfigExec& exec, const Environment& environment) {
  if (exec.interactive_mode == "Never") return false;
  if (exec.interactive_mode == "IfAvailable") return !environment.stdin_in_use && environment.stdin_is_terminal();
  if (exec.interactive_mode != "Always") return Error{"unknown interactiveMode: \"" + exec.interactive_mode + "\""};
  if (!environment.stdin_is_terminal()) return Error{"standard input is not a terminal"};
  if (environment.stdin_in_use) return Error{"standard input is unavailable: used by stdin resource manifest reader"};
  return true;
}

Result<std::shared_ptr<CredentialSource>> ExecCredentialSource::Create(KubeconfigExec exec, ExecCluster cluster,
                                                                       Environment environment) {
  const std::string& version = exec.api_version;
  if (version != "client.authentication.k8s.io/v1" && version != "client.authentication.k8s.io/v1beta1") {
    return Error{"exec plugin: invalid apiVersion \"" + version + "\""};
  }
  return std::shared_ptr<CredentialSource>(
      new ExecCredentialSource(std::move(exec), std::move(cluster), std::move(environment)));
}

ExecCredentialSource::ExecCredentialSource(KubeconfigExec exec, ExecCluster cluster, Environment environment)
    : exec_(std::move(exec)), cluster_(std::move(cluster)), environment_(std::move(environment)) {}

Error ExecCredentialSource::NotThere(const std::string& what) const {
  std::string message = "exec: " + what + kInstallHelp;
  if (!exec_.install_hint.empty()) message += "\n\n" + WithoutEscapes(exec_.install_hint);
  return Error{std::move(message)};
}

Result<ExecAnswer> ExecCredentialSource::Run() {
  Result<bool> interactive = IsInteractive(exec_, environment_);
  if (!interactive) return std::move(interactive).error().Within("exec plugin cannot support interactive mode");

  const std::string command = CleanPath(exec_.command);
  ProcessRequest request{
      .path = command, .args = {command}, .environment = environment_.all(), .inherit_stdin = *interactive};
  request.args.insert(request.args.end(), exec_.args.begin(), exec_.args.end());
  for (const auto& [name, value] : exec_.env) request.environment.push_back(name + "=" + value);
  request.environment.push_back("KUBERNETES_EXEC_INFO=" + ExecInfo(exec_.api_version, *interactive,
                                                                   exec_.provide_cluster_info ? &cluster_ : nullptr));
  if (command.find('/') == std::string::npos) {
    std::optional<std::string> found = FindExecutable(command, environment_.get("PATH").value_or(""));
    if (!found) return NotThere("executable " + command + " not found");
    request.path = *std::move(found);
  }
  Result<ProcessOutcome> outcome = RunProcess(request);
  if (!outcome) {
    if (outcome.error().message.ends_with(": no such file or directory")) return NotThere(outcome.error().message);
    return std::move(outcome).error().Within("exec");
  }
  if (outcome->exit_code != 0) {
    return Error{"exec: executable " + command + " failed with exit code " + std::to_string(outcome->exit_code)};
  }
  return ParseExecAnswer(std::move(outcome->output), exec_.api_version);
}

Result<Credential> ExecCredentialSource::Get() {
  const std::lock_guard lock(mutex_);
  const bool expired = answer_ && answer_->expires && environment_.now() > *answer_->expires;
  if (!answer_ || expired) {
    renewed_ = renewed_ || expired;
    Result<ExecAnswer> answer = Run();
    if (!answer) return std::move(answer).error().Within("getting credentials");
    answer_ = std::move(*answer);
    answered_ = environment_.now();
  }
  return answer_->credential;
}

bool ExecCredentialSource::Refresh() {
  const std::lock_guard lock(mutex_);
  if (answer_ && (!renewed_ || environment_.now() - answered_ >= kYoung)) {
    answer_.reset();
    renewed_ = true;
  }
  return true;
}

}  // namespace ksched::kube
