#include "kube/process.h"

#include <array>
#include <csignal>

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kube/client_config_test_util.h"

namespace ksched::kube {
namespace {

using testing::HasSubstr;

Result<ProcessOutcome> Sh(const std::string& lines) {
  return RunProcess(
      {.path = "/bin/sh", .args = {"sh", "-c", lines}, .environment = {"A=1", "PATH=/usr/bin:/bin", "A=2"}});
}

TEST(RunProcess, OutputAndExitCode) {
  const ProcessOutcome outcome = Must(Sh("echo \"$A\"; exit 7"));
  EXPECT_EQ(outcome.output, "2\n");
  EXPECT_EQ(outcome.exit_code, 7);
}

TEST(RunProcess, LongOutputComesWhole) { EXPECT_EQ(Must(Sh("head -c 1000000 /dev/zero")).output.size(), 1000000U); }

TEST(RunProcess, ASignalIsNoExitCode) { EXPECT_EQ(Must(Sh("kill -9 $$")).exit_code, -1); }

TEST(RunProcess, WhatCannotBeStarted) {
  const TestFolder folder;
  EXPECT_EQ(ErrorOf(RunProcess({.path = "/nowhere/x", .args = {"x"}})),
            "fork/exec /nowhere/x: no such file or directory");
  const std::string text = folder.WriteScript("x", "");
  folder.Write("x", "no program\n");
  EXPECT_EQ(ErrorOf(RunProcess({.path = text, .args = {text}})), "fork/exec " + text + ": exec format error");
}

TEST(RunProcess, IgnoredAndBlockedSignalsAreTheProgramsToDecide) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, old;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &old);
  EXPECT_EQ(Must(Sh("kill -PIPE $$; exit 3")).exit_code, -1);
  EXPECT_EQ(Must(Sh("kill -TERM $$; exit 3")).exit_code, -1);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  std::signal(SIGPIPE, before);
}

TEST(RunProcess, ATooLongAnswerEndsTheProgram) {
  const Result<ProcessOutcome> outcome = RunProcess(
      {.path = "/bin/sh", .args = {"sh", "-c", "while :; do echo yyyyyyyyyyyyyyyyyy; done"}, .max_output_bytes = 1000});
  EXPECT_THAT(ErrorOf(outcome), HasSubstr("is longer than 1000 bytes"));
}

#ifdef __linux__
// Both hold the writing end of a pipe: it is closed when both are gone.
TEST(RunProcess, TheProgramDiesWithUs) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t us = fork();
  if (us == 0) {
    close(ends[0]);
    const auto ignored = Sh("echo up >&" + std::to_string(ends[1]) + "; exec sleep 60");
    _exit(0);
  }
  close(ends[1]);
  std::array<char, 3> up{};
  EXPECT_EQ(read(ends[0], up.data(), up.size()), 3);
  kill(us, SIGKILL);
  waitpid(us, nullptr, 0);
  pollfd end{.fd = ends[0], .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&end, 1, 20'000), 1) << "the program is still there";
  EXPECT_EQ(read(ends[0], up.data(), up.size()), 0);
  close(ends[0]);
}
#endif

TEST(FindExecutable, FoldersInTheirOrder) {
  const TestFolder folder;
  folder.WriteScript("a/tool", "");
  folder.WriteScript("b/tool", "");
  folder.Write("c/tool", "not executable");
  const auto find = [](const std::string& path) { return FindExecutable("tool", path); };
  EXPECT_EQ(find("/nowhere:" + folder.Path("c") + ":" + folder.Path("b") + ":" + folder.Path("a")),
            folder.Path("b/tool"));
  EXPECT_EQ(find("/nowhere:" + folder.Path("c")), std::nullopt);
  EXPECT_EQ(find(""), std::nullopt);
  const std::string relative = std::filesystem::relative(folder.Path("a"));
  EXPECT_EQ(find(relative + ":" + folder.Path("b")), std::nullopt);  // there, but it does not count
}

}  // namespace
}  // namespace ksched::kube
