#include "plugins/volume_binding/capacity_score.h"

#include <cmath>
#include <optional>
#include <string_view>

#include <boost/container/small_vector.hpp>

#include "plugins/common/go_arithmetic.h"
#include "plugins/common/volumes.h"

namespace ksched {
namespace {

constexpr int64_t kFull = 100;

struct ClassUse {
  std::string_view name;
  int64_t requested = 0, capacity = 0;
};
using ClassUses = boost::container::small_vector<ClassUse, 4>;

ClassUse& Of(std::string_view name, ClassUses& uses) {
  for (ClassUse& use : uses) {
    if (use.name == name) return use;
  }
  return uses.emplace_back(ClassUse{name});
}

}  // namespace

int64_t CapacityScore::Score(const PodVolumes& volumes) const {
  ClassUses uses;
  for (const StaticBinding& binding : volumes.bindings) {
    ClassUse& use = Of(binding.volume->spec.storage_class_name, uses);
    use.requested = WrapAdd(use.requested, StorageOf(binding.claim->spec.requests).Value());
    use.capacity = WrapAdd(use.capacity, StorageOf(binding.volume->spec.capacity).Value());
  }
  for (const DynamicProvision& provision : volumes.provisions) {
    if (!volumes.bindings.empty() || provision.capacity == nullptr) continue;
    const std::optional<std::string>& name = provision.claim->spec.storage_class_name;
    ClassUse& use = Of(name ? std::string_view(*name) : std::string_view(), uses);
    use.requested = WrapAdd(use.requested, StorageOf(provision.claim->spec.requests).Value());
    use.capacity = provision.capacity->capacity.value_or(api::Quantity()).Value();
  }
  if (uses.empty()) return 0;
  int64_t sum = 0;
  for (const ClassUse& use : uses) {
    const bool full = use.capacity == 0 || use.requested > use.capacity;
    sum = WrapAdd(sum, shape_.At(full ? kFull : WrapDiv(WrapMul(use.requested, kFull), use.capacity)));
  }
  return static_cast<int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(uses.size())));
}

}  // namespace ksched
