// What every object has, and selectors. Field names are the API's in snake_case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "api/quantity.h"

namespace ksched::api {

using StringMap = boost::container::flat_map<std::string, std::string>;
using ResourceList = boost::container::flat_map<std::string, Quantity>;
using TimeNs = int64_t;  // nanoseconds since the Unix epoch
using TimeMap = boost::container::flat_map<std::string, TimeNs>;

struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name, generate_name, ns, uid, resource_version;
  StringMap labels, annotations;
  std::optional<TimeNs> creation_timestamp, deletion_timestamp;
  std::optional<int64_t> deletion_grace_period_seconds;
  std::vector<OwnerReference> owner_references;
  int64_t generation = 0;
};

// ---- selectors ----

struct LabelSelectorRequirement {
  std::string key, op;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;
  bool operator==(const LabelSelectorRequirement&) const = default;
};
struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
  bool operator==(const LabelSelector&) const = default;
};
struct NodeSelectorRequirement {
  std::string key, op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::vector<std::string> values;
  bool operator==(const NodeSelectorRequirement&) const = default;
};
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions, match_fields;
  bool operator==(const NodeSelectorTerm&) const = default;
};
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  bool operator==(const NodeSelector&) const = default;
};

// A number of things or a share of them: 3 or "25%". The API's IntOrString.
struct IntOrString {
  bool is_text = false;
  int32_t number = 0;
  std::string text;
  bool operator==(const IntOrString&) const = default;
};

}  // namespace ksched::api
