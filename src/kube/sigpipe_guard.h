// While it lives, writing to a connection that the other side has closed is an error for this thread, and no signal
// that ends the process. Other threads, and other uses of SIGPIPE (output into a closed pipe), stay as they are.
#pragma once

#include <csignal>

namespace ksched::kube {

class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigset_t pipe = JustPipe();
    pthread_sigmask(SIG_BLOCK, &pipe, &before_);
  }
  ~SigpipeGuard() {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    if (!was_pending_ && sigismember(&pending, SIGPIPE) == 1) {
      const sigset_t pipe = JustPipe();
      int taken = 0;
      sigwait(&pipe, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  static sigset_t JustPipe() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    return pipe;
  }

  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace ksched::kube
