#include "controllers/progress_text.h"

namespace ksched::controllers {
namespace {

std::string Counted(int64_t count, const char* one, const char* more) {
  return std::to_string(count) + (count == 1 ? one : more);
}

}  // namespace

std::string WhatIsMissing(int64_t desired, int64_t ready, int64_t rejected, int64_t leaving) {
  std::string text = std::to_string(ready) + " of " + Counted(desired, " pod is ready", " pods are ready");
  if (rejected > 0) text += "; " + Counted(rejected, " was rejected", " were rejected");
  if (leaving > 0) text += "; " + Counted(leaving, " has yet to go", " have yet to go");
  return text;
}

}  // namespace ksched::controllers
