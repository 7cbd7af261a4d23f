// Amounts of resources as the scheduler counts them: cpu in millicores, memory and ephemeral storage in bytes, every
// other (scalar) resource in whole units. Scalar resources are numbered, so that sums need no strings.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

#include "api/types.h"

namespace ksched {

using ResourceId = uint32_t;
inline constexpr ResourceId kCpu = 0;                  // millicores
inline constexpr ResourceId kMemory = 1;               // bytes
inline constexpr ResourceId kEphemeralStorage = 2;     // bytes
inline constexpr ResourceId kFirstScalarResource = 3;  // whole units from here on

// Extended resources, huge pages, attachable volumes and other prefixed native resources.
bool IsScalarResourceName(std::string_view name);
bool IsExtendedResourceName(std::string_view name);
// Whether a DeviceClass could stand behind the resource (extended, or deviceclass.resource.kubernetes.io/...).
bool IsDraExtendedResourceName(std::string_view name);

// Names of resources and their numbers, shared by everything in one ClusterState, and by it and those that follow its
// snapshots on other threads. Any thread may call any method: to find a name takes no lock; to add one, or to ask for
// the name of a number (for a message), takes a lock that nobody holds for longer than that.
class ResourceNames {
 public:
  ResourceNames();
  ResourceNames(const ResourceNames&) = delete;
  ResourceNames& operator=(const ResourceNames&) = delete;

  ResourceId Intern(std::string_view name);
  std::string_view Name(ResourceId id) const;  // good as long as this
  uint32_t size() const;

 private:
  struct Entry {
    std::string name;
    ResourceId id = 0;
    const Entry* next = nullptr;  // in its bucket
  };
  using Bucket = std::atomic<const Entry*>;
  static const Entry* Find(const Bucket& bucket, std::string_view name);

  std::array<Bucket, 64> buckets_{};
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // by id
};

// What is requested, or allocatable.
struct ResourceAmounts {
  int64_t milli_cpu = 0, memory_bytes = 0, ephemeral_storage_bytes = 0;
  int64_t pods = 0;                                                           // only of a node's allocatable
  boost::container::small_vector<std::pair<ResourceId, int64_t>, 2> scalars;  // sorted by id, each once

  int64_t Get(ResourceId id) const;
  void AddScalar(ResourceId id, int64_t amount);
  // Neither cpu, memory, ephemeral storage nor any scalar resource is mentioned.
  bool RequestsNothing() const {
    return milli_cpu == 0 && memory_bytes == 0 && ephemeral_storage_bytes == 0 && scalars.empty();
  }
  bool operator==(const ResourceAmounts&) const = default;
};

// Every amount as it is (framework.Resource.Add on an empty Resource).
ResourceAmounts ToAmounts(const api::ResourceList& list, ResourceNames& names);
// At least 0 of each, and no pods (framework.Resource.SetMaxResource on an empty Resource).
ResourceAmounts ToRequestedAmounts(const api::ResourceList& list, ResourceNames& names);

}  // namespace ksched
