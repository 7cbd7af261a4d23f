// An AdmissionReview (admission.k8s.io/v1) that has come, and what is answered to it.
// Reference: k8s.io/api/admission/v1 and k8s.io/apiserver/pkg/admission/plugin/webhook, v0.37.2.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json_parser.h"
#include "base/result.h"

namespace ksched::webhook {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

class Review {
 public:
  // The error says what is wrong with the body, and where: "request.uid: is missing". Another version than v1 is one.
  static Result<std::unique_ptr<Review>> Read(std::string body);

  std::string uid;
  std::string group, version, kind;                   // request.kind: of the object as it is here
  std::string resource_group, resource, subresource;  // request.resource, request.subResource
  Operation operation = Operation::kCreate;
  std::string ns, name;  // name: empty where the server will make one
  std::string user;      // request.userInfo
  std::vector<std::string> groups;
  bool dry_run = false;
  // Null: there is none. They live as long as the review.
  const api::Json* object = nullptr;
  const api::Json* old_object = nullptr;

 private:
  explicit Review(std::string body) : body_(std::move(body)) {}
  void ReadRequest(const api::Json& json, std::string& wrong);

  std::string body_;  // what the values refer to
  api::JsonParser parser_;
};

struct Answer {
  bool allowed = true;
  std::string message;                                     // of a refusal
  std::vector<std::string> warnings;                       // without "Warning:"
  std::vector<std::pair<std::string, std::string>> audit;  // keys (without prefix) and values
};

inline constexpr size_t kMaxMessageBytes = 1024, kMaxWarningBytes = 120, kMaxWarningsBytes = 4096;

// The text (UTF-8), cut to so many bytes between characters; what was cut ends in "...".
std::string Shortened(std::string text, size_t max_bytes);

// With a blank for every control character, and U+FFFD for what is no UTF-8.
std::string Printable(std::string_view text);

// The AdmissionReview that answers, as JSON: a refusal is a 403 with reason Forbidden. Message and warnings are
// shortened to what an API server takes; control characters in them become blanks. Warnings that are too many together
// are left out, and a last one says how many. What is no UTF-8 gets U+FFFD. Keys of audit annotations are unique.
std::string WriteAnswer(std::string_view uid, const Answer& answer);

}  // namespace ksched::webhook
