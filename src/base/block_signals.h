// For threads beside the one that waits for signals.
#pragma once

#include <pthread.h>

#include <csignal>

namespace ksched {

// In the thread that calls: SIGINT and its like are for the one that waits for them; SIGPIPE says nothing new.
inline void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace ksched
