// A TLS handshake with a server, as one of its clients would make it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ksched::serve {

// With the server of this process, or another, at `address` ("" and what stands for all: on loopback). Its certificate
// is not checked. Waits at most that long; the error says how far it came.
Result<void> ShakeHands(const std::string& address, uint16_t port, std::chrono::milliseconds most);

}  // namespace ksched::serve
