// The default StorageClass for claims that name none. Reference: plugin/pkg/admission/storage/storageclass/setdefault
// and pkg/volume/util/storageclass.go, v1.37.2.
#pragma once

#include <string_view>
#include <vector>

#include "api/types_storage.h"

namespace ksched {

class DefaultStorageClass {
 public:
  void Put(api::StorageClass one);
  void Remove(std::string_view name);

  // Of several defaults, the youngest counts, then the first by name.
  void Admit(api::PersistentVolumeClaim& claim) const;

 private:
  std::vector<api::StorageClass> classes_;  // by name
};

}  // namespace ksched
