// From what a port answers to the status of the plugin that asked it.
#pragma once

#include "framework/plugin.h"
#include "framework/ports.h"

namespace ksched {

// Tells `done`: Success, or an error with the port's message. Both are borrowed until then.
inline ResultCallback TellStatus(StatusReceiver& done, ReasonTable& reasons) {
  return [&done, &reasons](const Result<void>& result) {
    done.OnStatus(result ? Status() : Status(Code::kError, reasons.Intern(result.error().message)));
  };
}

}  // namespace ksched
