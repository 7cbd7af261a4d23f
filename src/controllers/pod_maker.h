// Makes pods of templates, with names that are free in the namespace.
#pragma once

#include <set>

#include "controllers/controller.h"

namespace ksched::controllers {

// The pod of `pod_template` in the namespace that `owner` controls, still without name and uid. Its generateName is
// "BASE_NAME-".
api::Pod PatternOf(const api::PodTemplateSpec& pod_template, const std::string& ns, const std::string& base_name,
                   const api::OwnerReference& owner);

class PodMaker {
 public:
  explicit PodMaker(const Request& request);

  // BASE_NAME-0, BASE_NAME-1, ...: the next that is free. A number comes once, even if its pod goes.
  std::string NextName(const std::string& base_name);
  bool IsFree(const std::string& name) const { return !is_taken_ || !is_taken_(name); }
  // The pattern with that name and the claims of its ephemeral volumes.
  NewPod Make(const api::Pod& pattern, const std::string& name);
  // True once: the claim does not exist yet, and is taken to exist from now on.
  bool ClaimIsMissing(const std::string& name) { return claims_.insert(name).second; }

 private:
  std::function<bool(const std::string& name)> is_taken_;
  std::set<std::string> claims_;
  int64_t next_ = 0;
};

}  // namespace ksched::controllers
