// How many files and connections the process may have open.
#pragma once

#include <sys/resource.h>

namespace ksched {

// As many as may be, if that can be had.
inline void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace ksched
