#include "app/cli/answer_printer.h"

#include <ctime>

#include <fmt/chrono.h>

namespace ksched::cli {

void AnswerPrinter::Print(int status, const std::string& out, const std::string& err,
                          const ObjectStore::Changes& changes) {
  const bool is_answer = status == kExitSuccess || status == kExitNotPlaced;
  const bool is_new = is_answer && (!answered_ || out != last_out_);
  const bool stands_again = is_answer && failed_ && !is_new;
  failed_ = !is_answer;
  if (begun_ && !is_new && !stands_again && err == last_err_) return;
  if (begun_) SayWhatChanged(changes);
  if (err != last_err_) streams_.err << err;
  if (stands_again) streams_.err << "the answer is the one of before\n";
  streams_.err << std::flush;
  if (is_new) PrintAnswer(out);
  last_err_ = err;
  begun_ = true;
}

void AnswerPrinter::PrintAnswer(const std::string& out) {
  if (answered_) streams_.out << (format_ == OutputFormat::kYaml ? "---\n" : "\n");
  streams_.out << out << std::flush;
  last_out_ = out;
  answered_ = true;
}

void AnswerPrinter::SayWhatChanged(const ObjectStore::Changes& changes) {
  std::string names;
  for (const std::string& name : changes.first) names += (names.empty() ? "after " : ", ") + name;
  streams_.err << fmt::format(
      "{:%H:%M:%S} {}{}\n", fmt::localtime(std::time(nullptr)), names.empty() ? "asked again" : names,
      changes.count > changes.first.size() ? fmt::format(" and more ({} changes)", changes.count) : "");
}

}  // namespace ksched::cli
