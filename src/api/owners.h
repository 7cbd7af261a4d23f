// Who owns an object.
#pragma once

#include <algorithm>

#include "api/types_meta.h"

namespace ksched::api {

// The owner that controls the object (metav1.GetControllerOf); null: none does.
inline const OwnerReference* ControllerOf(const ObjectMeta& metadata) {
  const auto found = std::ranges::find_if(metadata.owner_references, &OwnerReference::controller);
  return found == metadata.owner_references.end() ? nullptr : &*found;
}

}  // namespace ksched::api
