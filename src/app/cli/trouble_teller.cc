#include "app/cli/trouble_teller.h"

#include <utility>

#include <fmt/format.h>

namespace ksched::cli {

using kube::Absence;
using kube::ErrorKind;

namespace {

bool IsDenial(const kube::ApiError& error) {
  return error.kind == ErrorKind::kForbidden || error.kind == ErrorKind::kNotFound ||
         error.kind == ErrorKind::kUnauthorized;
}

}  // namespace

std::vector<std::string> TroubleTeller::Tell(std::span<const kube::ReflectorStatus> statuses) {
  std::vector<std::string> changes;
  for (const kube::ReflectorStatus& status : statuses) {
    Told& told = told_[status.resource];
    TellAbsence(status, told, changes);
    TellErrors(status, told);
    TellRefusals(status, told);
    told.synced = status.synced;
  }
  err_.flush();
  return changes;
}

void TroubleTeller::TellAbsence(const kube::ReflectorStatus& status, Told& told, std::vector<std::string>& changes) {
  if (told.absent == status.absent) return;
  const Absence before = std::exchange(told.absent, status.absent);
  if (!told.synced) return;  // of what is absent from the start answers say what follows from it
  const std::string name = status.resource->QualifiedName();
  if (status.absent == Absence::kNo) {
    err_ << name << ": can be listed now\n";
    changes.push_back(name + " can be listed");
    return;
  }
  // Only what was there is missed.
  if (before == Absence::kNo) {
    err_ << fmt::format("warning: {}: {}: all of them count as gone\n", name,
                        status.last_error ? status.last_error->message : "not found");
  }
  told.trouble = told.denied = false;
  changes.push_back(name + " cannot be listed");
}

void TroubleTeller::TellErrors(const kube::ReflectorStatus& status, Told& told) {
  const std::string name = status.resource->QualifiedName();
  const bool failing = !status.watching && status.absent == Absence::kNo && status.last_error;
  if (status.errors != told.errors && failing) {
    told.errors = status.errors;
    // That the server says no is news also of what could not be reached before.
    const bool is_news = !told.trouble || (IsDenial(*status.last_error) && !told.denied);
    told.denied = told.denied || IsDenial(*status.last_error);
    if (is_news) {
      err_ << fmt::format("warning: {}: {}: trying again{}\n", name, status.last_error->message,
                          status.synced ? ", and going on with what was there before" : "");
    }
    told.trouble = true;
  } else if (told.trouble && status.watching) {
    err_ << name << ": watched again\n";
    told.trouble = told.denied = false;
  }
}

void TroubleTeller::TellRefusals(const kube::ReflectorStatus& status, Told& told) {
  const uint64_t more = status.refused - std::exchange(told.refused, status.refused);
  if (more == 0 || std::exchange(told.refusal, status.last_refusal) == status.last_refusal) return;
  // What is wrong with an object says which kind it is of.
  const bool named = status.last_refusal.starts_with(status.resource->plural);
  err_ << fmt::format("warning: {}{}{}\n", named ? "" : status.resource->QualifiedName() + ": ", status.last_refusal,
                      more > 1 ? fmt::format(" (and {} more)", more - 1) : "");
}

void TroubleTeller::TellMissing(std::span<const kube::ReflectorStatus> statuses) {
  std::string names;
  for (const kube::ReflectorStatus& status : statuses) {
    if (!status.synced) names += (names.empty() ? "" : ", ") + status.resource->QualifiedName();
  }
  if (!names.empty()) err_ << "still waiting for the lists of " << names << std::endl;
}

}  // namespace ksched::cli
