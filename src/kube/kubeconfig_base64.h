// Base64 as RFC 4648 has it, with padding: how a kubeconfig writes certificates and keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::kube {

std::string EncodeBase64(std::string_view bytes);

// Line breaks are skipped, as in Go. The error gives the offset of the first wrong byte and nothing of the text.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace ksched::kube
