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
  reviewed.answer.audit.emplace_back("reason", Shortened(reason, kMaxMessageBytes));
  if (!plugins.empty()) reviewed.answer.audit.emplace_back("plugin", plugins);
}

Reviewed LetPass(const Review& review, std::string_view action, std::string reason) {
  Reviewed reviewed;
  reviewed.kind = review.kind;
  reviewed.action = action;
  reviewed.reason = std::move(reason);
  return reviewed;
}

Reviewed Exempt(const Review& review, const std::string& exemption) {
  Reviewed reviewed = LetPass(review, "skip", "Exempt");
  Annotate(reviewed, "exempt", exemption, "");
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

Reviewed Unable(const Review& review, const Policy& policy, std::string reason, const std::string& why, bool owned) {
  Reviewed reviewed = LetPass(review, "unable", std::move(reason));
  const std::string text = "ksched cannot judge whether this can be scheduled: " + why;
  Annotate(reviewed, "unable", why, "");
  if (policy.fail_closed() && !owned) {
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
  if (!target) return Unable(review, policy, "Unreadable", target.error().message, /*owned=*/false);
  if (const auto* through = std::get_if<LetThrough>(&*target))
    return LetPass(review, "skip", std::string(through->reason));
  const auto& wanted = std::get<Target>(*target);
  const std::optional<Trouble> trouble = Prepare(world);
  // Labels of namespaces are those that were known last.
  if (const std::string* exemption = policy.ExemptionOf(SubjectOf(review, wanted))) return Exempt(review, *exemption);
  if (trouble) return Unable(review, policy, trouble->reason, trouble->why, wanted.owned);
  return Judged(review, wanted, world);
}

Subject Reviewer::SubjectOf(const Review& review, const Target& target) const {
  const api::StringMap* ns_labels = judge_ == nullptr ? nullptr : judge_->LabelsOf(target.ns);
  return {target.ns, ns_labels, target.labels, review.user, review.groups};
}

std::optional<Reviewer::Trouble> Reviewer::Prepare(const ReviewWorld& world) {
  const auto too_late = [&] { return steady_clock::now() + kMargin >= world.deadline; };
  const Trouble late{std::string(kDeadline), "the request came too close to its deadline"};
  if (!world.unable.empty()) return Trouble{"Stale", world.unable};
  if (world.picture.snapshot == nullptr) return Trouble{"NotSynced", "the cluster has not been read yet"};
  if (too_late()) return late;
  if (auto ready = TakeOver(world.picture); !ready) return Trouble{"Error", ready.error().message};
  if (too_late()) return late;
  return std::nullopt;
}

Result<void> Reviewer::TakeOver(const Picture& picture) {
  if (judge_ != nullptr && !judge_->grown_large()) return judge_->Follow(picture);
  judge_.reset();
  auto judge = Judge::Create(*options_.rules, options_.features, picture);
  if (!judge) return std::move(judge).error();
  judge_ = std::move(*judge);
  return {};
}

Reviewed Reviewer::Judged(const Review& review, const Target& target, const ReviewWorld& world) {
  const Policy& policy = *world.picture.policy;
  const Verdict verdict = judge_->Ask(target, world.deadline - kMargin);
  if (verdict.kind == Verdict::Kind::kUnknown && verdict.reason == kDeadline) {
    return Unable(review, policy, verdict.reason, verdict.message, target.owned);
  }
  return Decide(review, target, policy, verdict);
}

Reviewed Reviewer::Decide(const Review& review, const Target& target, const Policy& policy, const Verdict& verdict) {
  Reviewed reviewed = LetPass(review, "allow", verdict.reason);
  if (verdict.kind == Verdict::Kind::kFits) {
    reviewed.reason = "Fits";
    Annotate(reviewed, "allow", "fits", "");
    return reviewed;
  }
  if (verdict.kind == Verdict::Kind::kUnknown) {
    reviewed.action = "unknown";
    Annotate(reviewed, "unknown", verdict.message, "");
    return reviewed;
  }
  const bool impossible = verdict.kind == Verdict::Kind::kImpossible;
  const Question question = impossible ? Question::kImpossible : Question::kNoRoom;
  Action action = policy.ActionFor(question, SubjectOf(review, target), verdict.plugins);
  // A controller would try again for minutes, and nobody would see why; of what is scaled it is not known if it has
  // one.
  if ((target.owned || target.like_existing) && action == Action::kDeny) action = Action::kWarn;
  reviewed.action = NameOf(action);
  if (action == Action::kIgnore) return reviewed;
  Annotate(reviewed, reviewed.action, fmt::format("{}: {}", impossible ? "impossible" : "no room", verdict.message),
           verdict.plugins.empty() ? "" : verdict.reason);
  if (action == Action::kDeny) {
    reviewed.answer.allowed = false;
    reviewed.answer.message = verdict.message;
  } else if (action == Action::kWarn) {
    reviewed.answer.warnings.push_back(verdict.brief);
  }
  return reviewed;
}

}  // namespace ksched::webhook
