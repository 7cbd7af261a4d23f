// Answers as an API server gives them: metav1.Status in JSON.
#pragma once

#include <string>

#include "serve/http.h"
#include "serve/user.h"

namespace ksched::serve {

Response Unauthorized();
// `reason`: the authorizer's; may be empty.
Response Forbidden(const User& user, const std::string& verb, const std::string& path, const std::string& reason);
Response InternalError(const Request& request, const std::string& why);
Response NotFound();

}  // namespace ksched::serve
