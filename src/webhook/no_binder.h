// A Binder for schedulers that never schedule: they only keep a state true to a cluster.
#pragma once

#include <string>

#include "framework/ports.h"

namespace ksched::webhook {

class NoBinder final : public Binder {
 public:
  void Bind(const PodInfo&, const std::string&, ResultCallback done) override { done(Error{"nothing is bound here"}); }
};

}  // namespace ksched::webhook
