#include "state/resources.h"

#include <algorithm>

#include "base/wrapping.h"

namespace ksched {
namespace {

constexpr std::string_view kNativePrefix = "kubernetes.io/";  // anywhere in the name, as in the reference
constexpr std::string_view kQuotaPrefix = "requests.";
constexpr size_t kMaxSubdomain = 253, kMaxNamePart = 63;

bool IsLowerAlnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlnum(char c) { return IsLowerAlnum(c) || (c >= 'A' && c <= 'Z'); }

// DNS-1123 labels joined by dots.
bool IsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > kMaxSubdomain) return false;
  char before = '.';
  for (const char c : text) {
    if (c == '.' ? !IsLowerAlnum(before) : c == '-' ? before == '.' : !IsLowerAlnum(c)) return false;
    before = c;
  }
  return IsLowerAlnum(before);
}

bool IsNamePart(std::string_view text) {
  if (text.empty() || text.size() > kMaxNamePart || !IsAlnum(text.front()) || !IsAlnum(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsPrefixedNative(std::string_view name) { return name.find(kNativePrefix) != std::string_view::npos; }

template <typename Amount>
ResourceAmounts Convert(const api::ResourceList& list, ResourceNames& names, Amount amount) {
  ResourceAmounts result;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      result.milli_cpu = amount(quantity.MilliValue());
    } else if (name == "memory") {
      result.memory_bytes = amount(quantity.Value());
    } else if (name == "ephemeral-storage") {
      result.ephemeral_storage_bytes = amount(quantity.Value());
    } else if (name == "pods") {
      result.pods = quantity.Value();
    } else if (IsScalarResourceName(name)) {
      result.AddScalar(names.Intern(name), amount(quantity.Value()));
    }
  }
  return result;
}

}  // namespace

bool IsExtendedResourceName(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || IsPrefixedNative(name) || name.starts_with(kQuotaPrefix)) return false;
  // A quota could be named after it: "requests." and the name are a qualified name.
  const std::string_view domain = name.substr(0, slash);
  return domain.size() + kQuotaPrefix.size() <= kMaxSubdomain && IsSubdomain(domain) &&
         IsNamePart(name.substr(slash + 1));
}

bool IsScalarResourceName(std::string_view name) {
  return IsPrefixedNative(name) || name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         IsExtendedResourceName(name);
}

bool IsDraExtendedResourceName(std::string_view name) {
  return IsExtendedResourceName(name) || name.starts_with("deviceclass.resource.kubernetes.io/");
}

ResourceNames::ResourceNames() {
  for (const char* name : {"cpu", "memory", "ephemeral-storage"}) Intern(name);
}

const ResourceNames::Entry* ResourceNames::Find(const Bucket& bucket, std::string_view name) {
  const Entry* entry = bucket.load(std::memory_order_acquire);
  while (entry != nullptr && entry->name != name) entry = entry->next;
  return entry;
}

ResourceId ResourceNames::Intern(std::string_view name) {
  Bucket& bucket = buckets_[std::hash<std::string_view>()(name) % buckets_.size()];
  if (const Entry* found = Find(bucket, name)) return found->id;
  const std::lock_guard lock(mutex_);
  if (const Entry* found = Find(bucket, name)) return found->id;  // another thread was faster
  const auto id = static_cast<ResourceId>(entries_.size());
  const Entry& added = entries_.emplace_back(Entry{std::string(name), id, bucket.load(std::memory_order_relaxed)});
  bucket.store(&added, std::memory_order_release);
  return id;
}

std::string_view ResourceNames::Name(ResourceId id) const {
  const std::lock_guard lock(mutex_);
  return entries_[id].name;
}

uint32_t ResourceNames::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(entries_.size());
}

int64_t ResourceAmounts::Get(ResourceId id) const {
  switch (id) {
    case kCpu:
      return milli_cpu;
    case kMemory:
      return memory_bytes;
    case kEphemeralStorage:
      return ephemeral_storage_bytes;
    default:
      break;
  }
  for (const auto& [scalar, amount] : scalars) {
    if (scalar == id) return amount;
  }
  return 0;
}

void ResourceAmounts::AddScalar(ResourceId id, int64_t amount) {
  const auto place = std::lower_bound(scalars.begin(), scalars.end(), id,
                                      [](const auto& scalar, ResourceId wanted) { return scalar.first < wanted; });
  if (place != scalars.end() && place->first == id) {
    place->second = WrapAdd(place->second, amount);
  } else {
    scalars.insert(place, {id, amount});
  }
}

ResourceAmounts ToAmounts(const api::ResourceList& list, ResourceNames& names) {
  return Convert(list, names, [](int64_t value) { return value; });
}

ResourceAmounts ToRequestedAmounts(const api::ResourceList& list, ResourceNames& names) {
  ResourceAmounts result = Convert(list, names, [](int64_t value) { return std::max<int64_t>(value, 0); });
  result.pods = 0;
  return result;
}

}  // namespace ksched
