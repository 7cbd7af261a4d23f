// The policy's file, read again when it changes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "webhook/policy.h"

namespace ksched::webhook {

class PolicySource {
 public:
  // "": none, so that the policy is the default one.
  explicit PolicySource(std::string path) : path_(std::move(path)) {}

  // All of any file. The error does not say by which flag it was named.
  static Result<std::string> ReadText(const std::string& path);

  Result<std::shared_ptr<const Policy>> Load();
  enum class Check { kSame, kNew, kBad };
  // kNew: `policy` is it. kBad: what is there now is wrong, which is told once; the old one goes on.
  Check Look(std::shared_ptr<const Policy>& policy, const std::function<void(const std::string&)>& tell);

 private:
  const std::string path_;
  std::string seen_;  // the text, or what was wrong with reading it
};

}  // namespace ksched::webhook
