// What the program's streams are connected to.
#pragma once

#include <unistd.h>

namespace ksched {

inline bool StdoutIsTerminal() { return isatty(STDOUT_FILENO) == 1; }
inline bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace ksched
