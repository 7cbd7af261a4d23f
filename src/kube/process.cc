#include "kube/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "kube/credentials_file.h"

namespace ksched::kube {
namespace {

// Closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  int get() const { return number_; }
  void Set(int number) {
    Close();
    number_ = number;
  }
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read_end, write_end;
};

bool OpenPipe(Pipe& made) {
  std::array<int, 2> ends{-1, -1};
  if (pipe(ends.data()) != 0) return false;
  made.read_end.Set(ends[0]);
  made.write_end.Set(ends[1]);
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> WithoutRepeats(const std::vector<std::string>& environment) {
  std::map<std::string_view, std::string_view> by_name;
  for (const std::string_view one : environment) by_name[one.substr(0, one.find('='))] = one;
  std::vector<std::string> unique;
  unique.reserve(by_name.size());
  for (const auto& [name, one] : by_name) unique.emplace_back(one);
  return unique;
}

// What the child needs, made before the fork: after it only system calls are safe.
struct Child {
  const char* path;
  char* const* args;
  char* const* environment;
  int stdin_fd;  // -1: ours
  int stdout_fd, failure_fd;
  pid_t parent;
};

[[noreturn]] void BecomeProgram(const Child& child) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != child.parent) _exit(127);  // it died before we asked
#endif
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &standard, nullptr);
  const bool wired =
      (child.stdin_fd < 0 || dup2(child.stdin_fd, STDIN_FILENO) >= 0) && dup2(child.stdout_fd, STDOUT_FILENO) >= 0;
  if (wired) execve(child.path, child.args, child.environment);
  const int number = errno;
  [[maybe_unused]] const ssize_t told = write(child.failure_fd, &number, sizeof number);
  _exit(127);
}

// Reads to the end. False when reading fails or there is more than `limit`.
bool ReadAll(int fd, size_t limit, std::string& out) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    out.append(buffer.data(), static_cast<size_t>(count));
    if (out.size() > limit) return false;
  }
}

int WaitFor(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Error CannotStart(const std::string& path, int number) { return Error{"fork/exec " + path + ": " + ErrnoText(number)}; }

bool IsExecutable(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProcessOutcome> RunProcess(const ProcessRequest& request) {
  Pipe output, failure;
  if (!OpenPipe(output) || !OpenPipe(failure)) return Error{"pipe: " + ErrnoText(errno)};
  const Descriptor nothing(request.inherit_stdin ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!request.inherit_stdin && nothing.get() < 0) return Error{"open /dev/null: " + ErrnoText(errno)};
  std::vector<std::string> args = request.args, environment = WithoutRepeats(request.environment);
  const std::vector<char*> arg_pointers = Pointers(args), environment_pointers = Pointers(environment);
  const Child child{.path = request.path.c_str(),
                    .args = arg_pointers.data(),
                    .environment = environment_pointers.data(),
                    .stdin_fd = nothing.get(),
                    .stdout_fd = output.write_end.get(),
                    .failure_fd = failure.write_end.get(),
                    .parent = getpid()};
  const pid_t process = fork();
  if (process < 0) return CannotStart(request.path, errno);
  if (process == 0) BecomeProgram(child);
  output.write_end.Close();
  failure.write_end.Close();

  std::string failed_with;
  ReadAll(failure.read_end.get(), sizeof(int), failed_with);  // ends when the program has been started
  if (failed_with.size() == sizeof(int)) {
    WaitFor(process);
    int number = 0;
    std::copy(failed_with.begin(), failed_with.end(), reinterpret_cast<char*>(&number));  // NOLINT
    return CannotStart(request.path, number);
  }
  ProcessOutcome outcome;
  const bool read_whole = ReadAll(output.read_end.get(), request.max_output_bytes, outcome.output);
  if (!read_whole) kill(process, SIGKILL);
  outcome.exit_code = WaitFor(process);
  if (!read_whole) {
    return Error{request.path + " was ended: its output cannot be read or is longer than " +
                 std::to_string(request.max_output_bytes) + " bytes"};
  }
  return outcome;
}

std::optional<std::string> FindExecutable(const std::string& name, std::string_view search_path) {
  for (size_t start = 0; start <= search_path.size();) {
    const size_t end = std::min(search_path.find(':', start), search_path.size());
    const std::string folder(search_path.substr(start, end - start));
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (IsExecutable(path)) return path.starts_with('/') ? std::optional(path) : std::nullopt;
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace ksched::kube
