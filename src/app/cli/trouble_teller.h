// Tells what goes wrong with watches: once that a kind cannot be watched, and once that it can again.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "kube/reflector.h"

namespace ksched::cli {

class TroubleTeller {
 public:
  // `err` is borrowed.
  explicit TroubleTeller(std::ostream& err) : err_(err) {}

  // What is new since the last call. Returns kinds that are there no more, or are there again, in words: an answer may
  // be another one with them. What is absent from the start is none of these.
  std::vector<std::string> Tell(std::span<const kube::ReflectorStatus> statuses);
  // Which kinds have not been listed yet.
  void TellMissing(std::span<const kube::ReflectorStatus> statuses);

 private:
  struct Told {
    bool synced = false, trouble = false, denied = false;
    kube::Absence absent = kube::Absence::kNo;
    uint64_t errors = 0, refused = 0;
    std::string refusal;
  };

  void TellAbsence(const kube::ReflectorStatus& status, Told& told, std::vector<std::string>& changes);
  void TellErrors(const kube::ReflectorStatus& status, Told& told);
  void TellRefusals(const kube::ReflectorStatus& status, Told& told);

  std::ostream& err_;
  std::map<const kube::Resource*, Told> told_;
};

}  // namespace ksched::cli
