// From the documents of a policy file to the policy.
#pragma once

#include <optional>
#include <string>

#include "api/document.h"
#include "webhook/policy.h"

namespace ksched::webhook {

struct PolicyFile;

class PolicyReader {
 public:
  void Visit(const api::Document& document);
  // `name` stands for the file in messages, `problems` are those of reading it as YAML or JSON.
  Result<Policy> Finish(const std::string& name, api::Problems problems) &&;

 private:
  static Policy Build(PolicyFile file);

  size_t documents_ = 0;
  api::Problems problems_;
  std::optional<Policy> policy_;
};

}  // namespace ksched::webhook
