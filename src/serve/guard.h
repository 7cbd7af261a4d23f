// Lets through whom the authenticator knows and the authorizer allows; others are answered here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/authenticator.h"
#include "serve/authorizer.h"
#include "serve/http.h"

namespace ksched::serve {

class Guard final : public Handler {
 public:
  // All borrowed. `log` hears why somebody was turned away, from several threads; `inner` is called in them too.
  Guard(Authenticator& authenticator, Authorizer& authorizer, Handler& inner, std::function<void(std::string)> log)
      : authenticator_(authenticator), authorizer_(authorizer), inner_(inner), log_(std::move(log)) {}

  void Handle(Request request, Respond respond) override;

 private:
  void Authorize(const std::shared_ptr<Request>& request, const User& user, const Respond& respond);

  Authenticator& authenticator_;
  Authorizer& authorizer_;
  Handler& inner_;
  const std::function<void(std::string)> log_;
};

}  // namespace ksched::serve
