#include "base/stop_signal.h"

#include <csignal>
#include <initializer_list>

namespace ksched {
namespace {

volatile std::sig_atomic_t came = 0;

using Handler = void (*)(int);

// Also called by the handler: it has to be as a signal handler is.
void Install(Handler handler) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    // What was ignored stays so: a shell's job in the background.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

// The next one, of either sort, finds everything as it was: whoever does not want to wait ends the process with it.
void Note(int number) {
  came = number;
  Install(SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
  came = 0;
  Install(&Note);
}

StopSignal::~StopSignal() { Install(SIG_DFL); }

bool StopSignal::requested() const { return came != 0; }

void StopSignal::Obey() const {
  const int number = came;
  if (number == 0) return;
  Install(SIG_DFL);
  std::raise(number);
}

}  // namespace ksched
