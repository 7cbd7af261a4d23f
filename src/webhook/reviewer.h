// Reviewer: from a review to its answer: what is let through, what the judge says, and what the policy makes of it. One
// for each thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "webhook/judge.h"
#include "webhook/review.h"

namespace ksched::webhook {

struct ReviewerOptions {
  const SchedulingRules* rules;  // outlives it
  ResourceFeatures features;
  std::string own_namespace;  // of the webhook: nothing in it is judged; "": not known
  bool pods_are_new = false;  // objects come as they are written, before any API server has admitted them
};

// The world as it is for one review.
struct ReviewWorld {
  const Picture& picture;  // the snapshot may be null: the cluster is not known yet; there is a policy in any case
  std::string unable;      // why nothing can be judged by it ("" if it can): it is stale
  Judge::SteadyTime deadline;
};

struct Reviewed {
  Answer answer;
  std::string kind;         // of the object
  std::string_view action;  // allow, deny, warn, audit, ignore; skip: let through; unknown; unable
  std::string reason;       // a word, or names of plugins
};

// It cannot be judged, and that is nobody's wish: let through with a warning, or refused if the policy fails closed.
// What has a controller (`owned`) is never refused.
Reviewed Unable(const Review& review, const Policy& policy, std::string reason, const std::string& why, bool owned);

class Reviewer {
 public:
  explicit Reviewer(ReviewerOptions options) : options_(std::move(options)) {}

  Reviewed Answer(const Review& review, const ReviewWorld& world);

 private:
  // Why nothing can be judged.
  struct Trouble {
    std::string reason, why;
  };
  std::optional<Trouble> Prepare(const ReviewWorld& world);
  Result<void> TakeOver(const Picture& picture);
  Reviewed Judged(const Review& review, const Target& target, const ReviewWorld& world);
  Reviewed Decide(const Review& review, const Target& target, const Policy& policy, const Verdict& verdict);
  Subject SubjectOf(const Review& review, const Target& target) const;
  TargetRules RulesOf(const Policy& policy) const;

  ReviewerOptions options_;
  std::unique_ptr<Judge> judge_;
};

}  // namespace ksched::webhook
