// The objects that events change, as the input has them. Only these are kept whole: a cluster may have very many.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/objects.h"

namespace ksched {

class EventTargets {
 public:
  struct Target {
    bool exists = false;
    std::string uid;
    std::optional<api::Pod> pod;
  };

  // Names an object that an event is about, before the input is read.
  void Expect(const std::string& kind, const api::ObjectMeta& metadata) {
    targets_[api::DescribeObject(kind, metadata)];
  }
  bool Expects(const std::string& kind, const api::ObjectMeta& metadata) const {
    return !targets_.empty() && targets_.contains(api::DescribeObject(kind, metadata));
  }

  // An object of the input: forgotten at once unless an event is about it.
  void See(const std::string& kind, const api::ObjectMeta& metadata) {
    if (!Expects(kind, metadata)) return;
    Target& target = targets_[api::DescribeObject(kind, metadata)];
    target.exists = true;
    target.uid = metadata.uid;
  }
  void See(const api::Pod& pod) {
    if (!Expects("Pod", pod.metadata)) return;
    See("Pod", pod.metadata);
    targets_[api::DescribeObject("Pod", pod.metadata)].pod = pod;
  }

  Target& Of(const std::string& kind, const api::ObjectMeta& metadata) {
    return targets_[api::DescribeObject(kind, metadata)];
  }

 private:
  std::map<std::string, Target> targets_;
};

}  // namespace ksched
