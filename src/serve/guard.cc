#include "serve/guard.h"

#include <utility>

#include "serve/status_answer.h"

namespace ksched::serve {
namespace {

std::string Verb(std::string method) {
  for (char& c : method) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return method;
}

}  // namespace

void Guard::Handle(Request given, Respond respond) {
  auto request = std::make_shared<Request>(std::move(given));
  authenticator_.Authenticate(*request, [this, request, respond = std::move(respond)](const Result<User>& user) {
    if (user) return Authorize(request, *user, respond);
    log_("unable to authenticate the request: " + user.error().message);
    respond(Unauthorized());
  });
}

void Guard::Authorize(const std::shared_ptr<Request>& request, const User& user, const Respond& respond) {
  const std::string verb = Verb(request->method);
  authorizer_.Authorize(user, verb, request->path, [=, this](const Result<AccessAnswer>& answer) {
    if (!answer) {
      log_("unable to authorize the request: " + answer.error().message);
      return respond(InternalError(*request, answer.error().message));
    }
    if (!answer->allowed) return respond(Forbidden(user, verb, request->path, answer->reason));
    inner_.Handle(std::move(*request), respond);
  });
}

}  // namespace ksched::serve
