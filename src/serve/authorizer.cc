#include "serve/authorizer.h"

#include <algorithm>
#include <utility>

namespace ksched::serve {
namespace {

constexpr const char* kPrivilegedGroup = "system:masters";

std::string_view WithoutSlash(std::string_view path) { return path.starts_with('/') ? path.substr(1) : path; }

}  // namespace

Result<std::unique_ptr<Authorizer>> Authorizer::Create(const AuthorizationOptions& options, ReviewClient* client) {
  auto authorizer = std::make_unique<Authorizer>();
  for (const std::string& given : options.always_allow_paths) {
    std::string path(WithoutSlash(given));
    if (path.find('*') < path.size() - 1 && path.find('*') != std::string::npos) {
      return Error{"--authorization-always-allow-paths: only trailing * allowed in \"" + path + "\""};
    }
    const bool prefix = path.ends_with('*');
    if (prefix) path.pop_back();
    (prefix ? authorizer->prefixes_ : authorizer->paths_).push_back(std::move(path));
  }
  if (client != nullptr) {
    authorizer->reviews_ = std::make_unique<AccessReviews>(*client, options.keep_allowed, options.keep_denied);
  }
  return authorizer;
}

void Authorizer::Authorize(const User& user, const std::string& verb, const std::string& path,
                           Asked<AccessAnswer>::Done done) {
  const std::string_view plain = WithoutSlash(path);
  const bool open = std::ranges::count(paths_, plain) > 0 ||
                    std::ranges::any_of(prefixes_, [&](const auto& prefix) { return plain.starts_with(prefix); });
  if (open || std::ranges::count(user.groups, kPrivilegedGroup) > 0) return done(AccessAnswer{true, ""});
  if (reviews_ == nullptr) return done(AccessAnswer{});
  reviews_->Review(user, verb, path, std::move(done));
}

}  // namespace ksched::serve
