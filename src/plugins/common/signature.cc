#include "plugins/common/signature.h"

#include <algorithm>

namespace ksched {

void AppendSigned(std::string_view text, std::string& signature) {
  AppendSigned(static_cast<int64_t>(text.size()), signature);
  signature += text;
}

void AppendSigned(int64_t number, std::string& signature) {
  signature += std::to_string(number);
  signature += ';';
}

void AppendSignedSorted(std::vector<std::string> texts, std::string& signature) {
  std::sort(texts.begin(), texts.end());
  AppendSigned(static_cast<int64_t>(texts.size()), signature);
  for (const std::string& text : texts) AppendSigned(text, signature);
}

}  // namespace ksched
