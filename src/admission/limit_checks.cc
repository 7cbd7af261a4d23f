#include "admission/limit_checks.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "admission/messages.h"
#include "admission/resource_lists.h"

namespace ksched {
namespace {

using api::LimitRangeItem;
using api::Quantity;
using api::ResourceList;

constexpr int64_t kMaxMilliValue = INT64_MAX / 1000;

std::optional<Quantity> Find(const ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  if (found == list.end()) return std::nullopt;
  return found->second;
}

// One resource under one bound: what is asked for, and how it is compared, in thousandths if all of it allows that.
class Check {
 public:
  Check(const std::string& type, const std::string& resource, Quantity bound, const ResourceList& requests,
        const ResourceList& limits)
      : resource_(resource),
        of_type_(" per " + type + " is " + bound.ToString()),
        bound_quantity_(bound),
        request_(Find(requests, resource)),
        limit_(Find(limits, resource)) {
    const Quantity request = request_.value_or(Quantity()), limit = limit_.value_or(Quantity());
    const bool milli =
        request.Value() <= kMaxMilliValue && limit.Value() <= kMaxMilliValue && bound.Value() <= kMaxMilliValue;
    const auto value = [&](Quantity one) { return milli ? one.MilliValue() : one.Value(); };
    request_value_ = value(request);
    limit_value_ = value(limit);
    bound_ = value(bound);
  }

  std::optional<std::string> Min() const {
    const std::string text = "minimum " + resource_ + " usage" + of_type_;
    if (!request_) return text + ".  No request is specified";
    if (request_value_ < bound_) return text + ButRequest();
    if (limit_ && limit_value_ < bound_) return text + ButLimit();
    return std::nullopt;
  }

  std::optional<std::string> Max() const {
    const std::string text = "maximum " + resource_ + " usage" + of_type_;
    if (!limit_) return text + ".  No limit is specified";
    if (limit_value_ > bound_) return text + ButLimit();
    if (request_ && request_value_ > bound_) return text + ButRequest();
    return std::nullopt;
  }

  // Of claims, which have no limits.
  std::optional<std::string> MaxRequest() const {
    const std::string text = "maximum " + resource_ + " usage" + of_type_;
    if (!request_) return text + ".  No request is specified";
    if (request_value_ > bound_) return text + ButRequest();
    return std::nullopt;
  }

  std::optional<std::string> Ratio() const {
    const std::string text = resource_ + " max limit to request ratio" + of_type_;
    if (!request_ || request_value_ == 0) return text + ", but no request is specified or request is 0";
    if (!limit_ || limit_value_ == 0) return text + ", but no limit is specified or limit is 0";
    const double ratio = static_cast<double>(limit_value_) / static_cast<double>(request_value_);
    const bool milli = bound_quantity_.Value() <= kMaxMilliValue;
    const double most = static_cast<double>(milli ? bound_quantity_.MilliValue() : bound_quantity_.Value());
    if ((milli ? ratio * 1000 : ratio) <= most) return std::nullopt;
    std::array<char, 64> digits{};
    std::snprintf(digits.data(), digits.size(), "%f", ratio);
    return text + ", but provided ratio is " + digits.data();
  }

 private:
  std::string ButRequest() const { return ", but request is " + request_->ToString(); }
  std::string ButLimit() const { return ", but limit is " + limit_->ToString(); }

  const std::string& resource_;
  std::string of_type_;
  Quantity bound_quantity_;
  std::optional<Quantity> request_, limit_;
  int64_t request_value_ = 0, limit_value_ = 0, bound_ = 0;
};

void CheckItem(const LimitRangeItem& item, const ResourceList& requests, const ResourceList& limits,
               std::vector<std::string>& problems) {
  const auto check = [&](const ResourceList& bounds, std::optional<std::string> (Check::*method)() const) {
    for (const auto& [name, bound] : bounds) {
      if (auto problem = (Check(item.type, name, bound, requests, limits).*method)()) {
        problems.push_back(std::move(*problem));
      }
    }
  };
  check(item.min, &Check::Min);
  check(item.max, &Check::Max);
  check(item.max_limit_request_ratio, &Check::Ratio);
}

// Of what a pod may say about itself, a LimitRange regards these two.
ResourceList WithPodLevel(ResourceList total, const ResourceList& pod_level) {
  for (const auto& [name, quantity] : pod_level) {
    if (name == "cpu" || name == "memory") total.insert_or_assign(name, quantity);
  }
  return total;
}

void CheckPod(const LimitRangeItem& item, const api::PodSpec& spec, std::vector<std::string>& problems) {
  ResourceList requests = ContainerRequests(spec), limits = ContainerLimits(spec);
  if (spec.resources) {
    requests = WithPodLevel(std::move(requests), spec.resources->requests);
    limits = WithPodLevel(std::move(limits), spec.resources->limits);
  }
  CheckItem(item, requests, limits, problems);
}

}  // namespace

std::vector<std::string> LimitProblems(const api::LimitRange& range, const api::PodSpec& spec) {
  std::vector<std::string> problems;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      for (const auto* containers : {&spec.containers, &spec.init_containers}) {
        for (const api::Container& one : *containers) {
          CheckItem(item, one.resources.requests, one.resources.limits, problems);
        }
      }
    } else if (item.type == "Pod") {
      CheckPod(item, spec, problems);
    }
  }
  return problems;
}

std::vector<std::string> LimitProblems(const api::LimitRange& range, const api::ClaimSpec& claim) {
  std::vector<std::string> problems;
  const ResourceList no_limits;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type != "PersistentVolumeClaim") continue;
    for (const auto& [name, bound] : item.min) {
      if (auto problem = Check(item.type, name, bound, claim.requests, no_limits).Min()) problems.push_back(*problem);
    }
    for (const auto& [name, bound] : item.max) {
      if (auto problem = Check(item.type, name, bound, claim.requests, no_limits).MaxRequest()) {
        problems.push_back(*problem);
      }
    }
  }
  return problems;
}

}  // namespace ksched
