#include "kube/reflector.h"

#include <algorithm>

#include "kube/resource_reflector.h"

namespace ksched::kube {

Reflectors::Reflectors(HttpClient& client, std::span<const WatchRequest> requests, const ReflectorOptions& options,
                       WatchSink& sink)
    : options_(options),
      probe_(client, options_.probe,
             [this] {
               return std::any_of(reflectors_.begin(), reflectors_.end(),
                                  [](const auto& one) { return one->in_use(); });
             }),
      context_(new ReflectorContext{.client = client,
                                    .options = options_,
                                    .probe = probe_,
                                    .sink = sink,
                                    .rng = Rng(options_.seed),
                                    .streaming = options_.streaming}),
      statuses_(requests.size()) {
  for (size_t i = 0; i < requests.size(); ++i) {
    reflectors_.push_back(std::make_unique<ResourceReflector>(*context_, requests[i], statuses_[i]));
  }
}

Reflectors::~Reflectors() = default;

void Reflectors::Start() {
  for (const auto& reflector : reflectors_) reflector->Start();
  probe_.Start();
}

void Reflectors::Relist(const Resource& resource) {
  for (size_t i = 0; i < statuses_.size(); ++i) {
    if (statuses_[i].resource == &resource) reflectors_[i]->ListAnew();
  }
}

bool Reflectors::synced() const {
  return std::all_of(statuses_.begin(), statuses_.end(), [](const ReflectorStatus& status) { return status.synced; });
}

}  // namespace ksched::kube
