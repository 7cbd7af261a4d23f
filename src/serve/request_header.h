// A proxy that vouches for its users: its certificate is checked, and the user is in headers.
// Reference: k8s.io/apiserver/pkg/authentication/request/headerrequest, v0.37.2.
#pragma once

#include <string>
#include <vector>

#include "serve/http.h"
#include "serve/user.h"

namespace ksched::serve {

struct RequestHeaderNames {
  std::vector<std::string> allowed_names;  // common names of proxies; none: whoever the authority has signed
  std::vector<std::string> user = {"x-remote-user"}, uid, group = {"x-remote-group"},
                           extra_prefix = {"x-remote-extra-"};
};

bool MayVouch(const RequestHeaderNames& names, const std::string& common_name);
// The user that the headers name; its name is empty if they name none.
User UserOfHeaders(const RequestHeaderNames& names, const Request& request);

}  // namespace ksched::serve
