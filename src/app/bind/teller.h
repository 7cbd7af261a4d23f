// Teller: what `bind` says: of each pod a line when it is decided, or all of them at the end.
#pragma once

#include <span>
#include <string>

#include "app/bind/target.h"
#include "app/cli/streams.h"

namespace ksched::bind {

class Teller {
 public:
  // `streams` is borrowed.
  Teller(Output output, DryRun dry_run, cli::Streams& streams)
      : output_(output), dry_run_(dry_run), streams_(streams) {}

  // The target is decided.
  void Decided(const Target& target);
  // What goes on, and what somebody should know.
  void Progress(const std::string& line);
  void Warn(const std::string& line) { Progress("warning: " + line); }
  void Error(const std::string& line) { Progress("error: " + line); }
  // All are decided.
  void End(std::span<const Target> targets);

 private:
  std::string Suffix() const;

  const Output output_;
  const DryRun dry_run_;
  cli::Streams& streams_;
};

// 0 if all are bound that were meant, and some were; else 1.
int ExitStatusOf(std::span<const Target> targets);

}  // namespace ksched::bind
