#include "webhook/reviewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ksched::webhook {
namespace {

using std::chrono::steady_clock;

// What is left of the time for the answer to be written and to travel.
constexpr std::chrono::milliseconds kMargin{100};

void Annotate(Reviewed& reviewed, std::string_view decision, const std::string& reason, const std::string& plugins) {
  reviewed.answer.audit.emplace_back("decision", decision);
  reviewed.answer.audit.emplace_back("reason", reason);
  if (!plugins.empty()) reviewed.answer.audit.emplace_back("plugin", plugins);
}

Reviewed LetPass(const Review& review, std::string_view action, std::string reason) {
  Reviewed reviewed;
  reviewed.kind = review.kind;
  reviewed.action = action;
  reviewed.reason = std::move(reason);
  return reviewed;
}

std::string_view NameOf(Action action) {
  switch (action) {
    case Action::kDeny:
      return "deny";
    case Action::kWarn:
      return "warn";
    case Action::kAudit:
      return "audit";
    case Action::kIgnore:
      break;
  }
  return "ignore";
}

}  // namespace

Reviewed Unable(const Review& review, const Policy& policy, std::string reason, const std::string& why) {
  Reviewed reviewed = LetPass(review, "unable", std::move(reason));
  const std::string text = "ksched cannot judge whether this can be scheduled: " + why;
  Annotate(reviewed, "unable", why, "");
  if (policy.fail_closed()) {
    reviewed.answer.allowed = false;
    reviewed.answer.message = text;
  } else {
    reviewed.answer.warnings.push_back(text);
  }
  return reviewed;
}

TargetRules Reviewer::RulesOf(const Policy& policy) const {
  TargetRules rules;
  rules.has_profile = [this](const std::string& name) {
    const auto& profiles = options_.rules->configuration.profiles;
    return std::ranges::find(profiles, name, &config::Profile::scheduler_name) != profiles.end();
  };
  rules.own_namespace = options_.own_namespace;
  rules.judge_gated = policy.judge_gated();
  rules.pods_are_new = options_.pods_are_new;
  return rules;
}

Reviewed Reviewer::Answer(const Review& review, const ReviewWorld& world) {
  const Policy& policy = *world.picture.policy;
  const auto target = TargetOf(review, RulesOf(policy));
  if (!target) return Unable(review, policy, "Unreadable", target.error().message);
  if (const auto* through = std::get_if<LetThrough>(&*target))
    return LetPass(review, "skip", std::string(through->reason));
  if (!world.unable.empty()) return Unable(review, policy, "Stale", world.unable);
  if (world.picture.snapshot == nullptr) {
    return Unable(review, policy, "NotSynced", "the cluster has not been read yet");
  }
  if (steady_clock::now() + kMargin >= world.deadline) {
    return Unable(review, policy, "Deadline", "the request came too close to its deadline");
  }
  if (auto ready = Prepare(world.picture); !ready) return Unable(review, policy, "Error", ready.error().message);
  return Judged(review, std::get<Target>(*target), world);
}

Result<void> Reviewer::Prepare(const Picture& picture) {
  if (judge_ != nullptr && !judge_->grown_large()) return judge_->Follow(picture);
  judge_.reset();
  auto judge = Judge::Create(*options_.rules, options_.features, picture);
  if (!judge) return std::move(judge).error();
  judge_ = std::move(*judge);
  return {};
}

Reviewed Reviewer::Judged(const Review& review, const Target& target, const ReviewWorld& world) {
  const Policy& policy = *world.picture.policy;
  const Subject subject{target.ns, judge_->LabelsOf(target.ns), target.labels, review.user, review.groups};
  if (const std::string* exemption = policy.ExemptionOf(subject)) {
    Reviewed reviewed = LetPass(review, "skip", "Exempt");
    Annotate(reviewed, "exempt", *exemption, "");
    return reviewed;
  }
  return Decide(review, target, policy, judge_->Ask(target, world.deadline - kMargin));
}

Reviewed Reviewer::Decide(const Review& review, const Target& target, const Policy& policy, const Verdict& verdict) {
  Reviewed reviewed = LetPass(review, "allow", verdict.reason);
  const std::string& plugins = verdict.plugins.empty() ? std::string() : verdict.reason;
  if (verdict.kind == Verdict::Kind::kFits) {
    reviewed.reason = "Fits";
    Annotate(reviewed, "allow", "fits", "");
    return reviewed;
  }
  if (verdict.kind == Verdict::Kind::kUnknown) {
    reviewed.action = "unknown";
    Annotate(reviewed, "unknown", verdict.message, plugins);
    return reviewed;
  }
  const bool impossible = verdict.kind == Verdict::Kind::kImpossible;
  const Subject subject{target.ns, judge_->LabelsOf(target.ns), target.labels, review.user, review.groups};
  Action action = policy.ActionFor(impossible ? Question::kImpossible : Question::kNoRoom, subject, verdict.plugins);
  // Its controller would try again for minutes, and nobody would see why.
  if (target.owned && action == Action::kDeny) action = Action::kWarn;
  reviewed.action = NameOf(action);
  if (action == Action::kIgnore) return reviewed;
  Annotate(reviewed, reviewed.action, fmt::format("{}: {}", impossible ? "impossible" : "no room", verdict.message),
           plugins);
  if (action == Action::kDeny) {
    reviewed.answer.allowed = false;
    reviewed.answer.message = verdict.message;
  } else if (action == Action::kWarn) {
    reviewed.answer.warnings.push_back(verdict.brief);
  }
  return reviewed;
}

}  // namespace ksched::webhook
