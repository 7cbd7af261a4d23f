// Claims, as templates of a StatefulSet have them.
#include <algorithm>

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

constexpr char kOnePod[] = "ReadWriteOncePod";

void ValidateAccessModes(const std::vector<std::string>& modes, const FieldPath& path, const Validation& v) {
  constexpr std::string_view kOthers[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"};
  if (modes.empty()) v.reporter.Add(path, Required("at least 1 access mode is required"));
  bool one_pod = false, more = false;
  for (const std::string& mode : modes) {
    if (mode == kOnePod) {
      one_pod = true;
    } else if (std::find(std::begin(kOthers), std::end(kOthers), mode) != std::end(kOthers)) {
      more = true;
    } else {
      v.reporter.Add(path, NotSupported(mode, {kOthers[0], kOthers[1], kOthers[2], kOnePod}));
    }
  }
  if (one_pod && more) v.reporter.Add(path, Forbidden("may not use ReadWriteOncePod with other access modes"));
}

}  // namespace

void ValidateClaimSpec(const ClaimSpec& claim, const FieldPath& path, const Validation& v) {
  ValidateAccessModes(claim.access_modes, path.Child("accessModes"), v);
  ValidateLabelSelector(claim.selector, path.Child("selector"), v);
  const FieldPath resources = path.Child("resources");
  const FieldPath storage = resources.Key("storage");
  const auto request = claim.requests.find("storage");
  if (request == claim.requests.end()) {
    v.reporter.Add(storage, Required());
  } else if (request->second.nano() <= 0) {
    v.reporter.Add(storage, Invalid(request->second.ToString(), "must be greater than zero"));
  } else {
    ValidateQuantity("storage", request->second, storage, v);
  }
  if (claim.storage_class_name) ValidateReference(*claim.storage_class_name, path.Child("storageClassName"), v);
  if (claim.volume_mode != "Block" && claim.volume_mode != "Filesystem") {
    v.reporter.Add(path.Child("volumeMode"), NotSupported(claim.volume_mode, {"Block", "Filesystem"}));
  }
}

}  // namespace ksched::api
