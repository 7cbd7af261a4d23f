// What a review asks about: which pods are to come because of it. Or nothing, because it is let through untouched.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/types_workload.h"
#include "base/result.h"
#include "webhook/review.h"

namespace ksched::webhook {

// Why nothing is judged: a word for metrics ("Deleted", "OtherScheduler").
struct LetThrough {
  std::string_view reason;
};

struct Target {
  enum class Shape : uint8_t { kPod, kReplicas, kDaemons };
  // Pods of the workload that are on nodes already: there are none, they stay, or the new ones take their places.
  enum class Existing : uint8_t { kNone, kStay, kReplaced };

  Shape shape = Shape::kPod;
  std::string kind, ns, name;  // of the object; the name may be empty
  api::StringMap labels;       // of the object
  api::Pod pod;                // as it will be made, without a name
  bool is_made = false;        // out of a template
  bool incomplete = false;     // admission has yet to add what it adds
  bool like_existing = false;  // the template is not known: that of a pod which is there stands for it
  int64_t wanted = 1;          // pods, with those that stay; 0: none is made now
  Existing existing = Existing::kNone;
  bool owned = false;                        // it has a controller: nothing is ever denied
  int32_t first_ordinal = 0;                 // of a StatefulSet
  std::vector<std::string> claim_templates;  // names, of a StatefulSet
};

struct TargetRules {
  std::function<bool(const std::string& scheduler_name)> has_profile;
  std::string own_namespace;  // of the webhook; "": not known
  bool judge_gated = false;
  bool pods_are_new = false;  // no API server has admitted the object
};

// What can be said by the kind and place of the object alone.
// An error: it is judged, but cannot be read.
Result<std::variant<LetThrough, Target>> TargetOf(const Review& review, const TargetRules& rules);

}  // namespace ksched::webhook
