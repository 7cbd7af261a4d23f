#include "framework/status.h"

namespace ksched {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kError:
      return "Error";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::kWait:
      return "Wait";
    case Code::kSkip:
      return "Skip";
    case Code::kPending:
      return "Pending";
  }
  return "";
}

std::string Status::Message(const ReasonTable& table) const {
  std::string message;
  for (const ReasonId reason : reasons_) {
    if (!message.empty()) message += ", ";
    message += table.Text(reason);
  }
  return message;
}

}  // namespace ksched
