#include "admission/storage_class.h"

#include <cstdint>
#include <utility>

#include "admission/named_objects.h"

namespace ksched {
namespace {

constexpr const char* kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

bool IsDefault(const api::StorageClass& one) {
  for (const char* key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    const auto found = one.metadata.annotations.find(key);
    if (found != one.metadata.annotations.end() && found->second == "true") return true;
  }
  return false;
}

// Without a time, it is Go's zero time: older than any other.
api::TimeNs CreatedAt(const api::StorageClass& one) { return one.metadata.creation_timestamp.value_or(INT64_MIN); }

}  // namespace

void DefaultStorageClass::Put(api::StorageClass one) { PutSorted(classes_, std::move(one)); }
void DefaultStorageClass::Remove(std::string_view name) { RemoveByName(classes_, name); }

void DefaultStorageClass::Admit(api::PersistentVolumeClaim& claim) const {
  if (claim.spec.storage_class_name || claim.metadata.annotations.contains(kClassAnnotation)) return;
  const api::StorageClass* chosen = nullptr;
  for (const api::StorageClass& one : classes_) {
    if (IsDefault(one) && (chosen == nullptr || CreatedAt(one) > CreatedAt(*chosen))) chosen = &one;
  }
  if (chosen != nullptr) claim.spec.storage_class_name = chosen->metadata.name;
}

}  // namespace ksched
