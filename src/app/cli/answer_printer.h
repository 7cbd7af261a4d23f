// Prints the answers of a watch: each that is another than the one before, and what had changed.
#pragma once

#include <string>

#include "app/cli/object_store.h"
#include "app/cli/options.h"
#include "app/cli/streams.h"

namespace ksched::cli {

class AnswerPrinter {
 public:
  // `streams` are borrowed.
  AnswerPrinter(Streams& streams, OutputFormat format) : streams_(streams), format_(format) {}

  // One run: its exit status and what it has to say. The answer of before stands when there is none (kExitUsage,
  // kExitCluster): then only `err` is printed.
  void Print(int status, const std::string& out, const std::string& err, const ObjectStore::Changes& changes);

 private:
  void SayWhatChanged(const ObjectStore::Changes& changes);
  void PrintAnswer(const std::string& out);

  Streams& streams_;
  const OutputFormat format_;
  bool begun_ = false, answered_ = false, failed_ = false;  // failed_: the last time there was none
  std::string last_out_, last_err_;
};

}  // namespace ksched::cli
