// A command that goes on until it is told to stop.
#pragma once

namespace ksched {

// From here on the first SIGINT or SIGTERM only sets a flag, which whoever loops looks at; a second one ends the
// process. At most one at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();  // what was before
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool requested() const;
  // Ends the process by the signal that came, as if it had not been caught: a shell sees who ended it.
  void Obey() const;
};

}  // namespace ksched
