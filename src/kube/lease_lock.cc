#include "kube/lease_lock.h"

#include <fmt/format.h>

#include <utility>

#include "kube/json_body.h"
#include "kube/resources.h"

namespace ksched::kube {

LeaseLock::LeaseLock(HttpClient& client, const Clock& steady, const Clock& wall, LeaseName name,
                     std::chrono::milliseconds timeout)
    : steady_(steady), wall_(wall), name_(std::move(name)), timeout_(timeout), sender_(client, {}) {}

std::string LeaseLock::Path() const {
  return fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}", EscapeUrl(name_.ns),
                     EscapeUrl(name_.name));
}

void LeaseLock::Send(HttpRequest request, RequestSender::Done done) {
  request.timeout = timeout_;
  if (!request.body.empty()) request.content_type = kJsonType;
  sent_ = steady_.Now();
  request_ = sender_.Send(std::move(request), std::move(done));
}

void LeaseLock::Try(Done done) {
  done_ = std::move(done);
  began_ = steady_.Now();
  if (holds() && !HasRunOut()) return Update(/*look_if_it_fails=*/true);
  Look(&LeaseLock::Decide);
}

void LeaseLock::Release(Done done) {
  done_ = std::move(done);
  Look(&LeaseLock::GiveUp);
}

void LeaseLock::Cancel() {
  sender_.Cancel(request_);
  done_ = nullptr;
}

void LeaseLock::Forget() {
  lease_.clear();
  observed_ = {};
  observed_at_ = 0;
}

void LeaseLock::Look(void (LeaseLock::*then)()) {
  Send({.target = Path()}, [this, then](const ApiError* error, std::string_view body) {
    const bool may_create = then == &LeaseLock::Decide;
    if (error != nullptr && error->kind == ErrorKind::kNotFound && may_create) return Create();
    if (error != nullptr) return Fail(error->message);
    if (Result<void> seen = Observe(std::string(body)); !seen) return Fail(seen.error().message);
    (this->*then)();
  });
}

// A record that looks as it did before is as old as it was.
Result<void> LeaseLock::Observe(std::string lease) {
  Result<LeaseRecord> record = ReadLease(lease);
  if (!record) return std::move(record).error();
  lease_ = std::move(lease);
  if (*record == observed_) return {};
  observed_ = *std::move(record);
  observed_at_ = steady_.Now();
  return {};
}

// As of the beginning of the try: what was first seen since then has not.
bool LeaseLock::HasRunOut() const { return observed_at_ + observed_.duration_seconds * kNsPerSecond <= began_; }

void LeaseLock::Decide() {
  if (!observed_.holder.empty() && !holds() && !HasRunOut()) return End({.taken = true});
  Update(/*look_if_it_fails=*/false);
}

LeaseRecord LeaseLock::Mine() const {
  LeaseRecord record{.holder = name_.identity, .duration_seconds = name_.duration_seconds};
  record.renew_time = FormatMicros(wall_.Now());
  record.acquire_time = holds() ? observed_.acquire_time : record.renew_time;
  record.transitions = holds() ? observed_.transitions : observed_.transitions + 1;
  return record;
}

void LeaseLock::Put(const LeaseRecord& record, RequestSender::Done done) {
  Result<std::string> lease = LeaseWith(lease_, record);
  if (!lease) return Fail(lease.error().message);
  Send({.method = "PUT", .target = Path(), .body = *std::move(lease)}, std::move(done));
}

void LeaseLock::Update(bool look_if_it_fails) {
  Put(Mine(), [this, look_if_it_fails](const ApiError* error, std::string_view body) {
    if (error == nullptr) return Won(std::string(body));
    if (look_if_it_fails) return Look(&LeaseLock::Decide);
    Fail(error->message);
  });
}

void LeaseLock::Create() {
  observed_ = {};  // the one that was seen has gone
  LeaseRecord record = Mine();
  record.transitions = 0;
  const std::string path = Path();
  Send({.method = "POST", .target = path.substr(0, path.rfind('/')), .body = NewLease(name_.ns, name_.name, record)},
       [this](const ApiError* error, std::string_view body) {
         if (error != nullptr) return Fail(error->message);
         Won(std::string(body));
       });
}

void LeaseLock::Won(std::string lease) {
  if (Result<void> seen = Observe(std::move(lease)); !seen) return Fail(seen.error().message);
  End({.won = true, .sent = sent_});
}

void LeaseLock::GiveUp() {
  if (!holds()) return End({.won = true});
  const std::string now = FormatMicros(wall_.Now());
  const LeaseRecord nobody{
      .duration_seconds = 1, .acquire_time = now, .renew_time = now, .transitions = observed_.transitions};
  Put(nobody, [this](const ApiError* error, std::string_view body) {
    // A renewal that was cancelled may have come through.
    if (error != nullptr && error->reason == "Conflict") return Look(&LeaseLock::GiveUp);
    if (error != nullptr) return Fail(error->message);
    Won(std::string(body));
  });
}

void LeaseLock::End(const LeaseTry& result) {
  request_ = 0;
  const Done done = std::exchange(done_, nullptr);
  if (done) done(result);
}

}  // namespace ksched::kube
