#include "serve/authenticator.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <future>
#include <utility>

#include "api/json_values.h"

namespace ksched::serve {
namespace {

constexpr const char* kConfigMap = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
constexpr std::chrono::seconds kLookupTime{12};
constexpr int kLookupPeriodS = 60, kRetryPeriodS = 5;

// A list as JSON in a text; absent: `otherwise`.
std::vector<std::string> ListOf(const rapidjson::Value& object, const char* name, std::vector<std::string> otherwise) {
  const std::string text = api::TextAt(object, {name});
  rapidjson::Document list;
  list.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (text.empty() || list.HasParseError() || !list.IsArray()) return otherwise;
  std::vector<std::string> found;
  for (const auto& one : list.GetArray()) {
    if (one.IsString()) found.emplace_back(one.GetString(), one.GetStringLength());
  }
  return found;
}

User WithGroup(User user) {
  const bool told = std::ranges::any_of(user.groups, [](const std::string& group) {
    return group == kAuthenticatedGroup || group == kUnauthenticatedGroup;
  });
  if (!told && user.name != kAnonymous) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

}  // namespace

Authenticator::Authenticator(AuthenticationOptions options, ReviewClient* client)
    : options_(std::move(options)),
      client_(client),
      client_ca_file_(options_.client_ca_file),
      request_header_ca_file_(options_.request_header_ca_file),
      request_header_(options_.request_header) {
  if (client != nullptr) tokens_ = std::make_unique<TokenReviews>(*client, options_.keep);
}

bool Authenticator::NeedsLookup() const {
  const bool all_here = !options_.client_ca_file.empty() && !options_.request_header_ca_file.empty();
  return client_ != nullptr && !options_.skip_lookup && !all_here;
}

Result<void> Authenticator::ReadFiles() {
  const auto read = [](kube::WatchedFile& file, Authorities& authorities) -> Result<void> {
    if (file.path().empty()) return {};
    const auto pem = file.Read();
    if (!pem) return pem.error();
    auto set = authorities.Set(*pem);
    if (!set) return std::move(set).error().Within(file.path());
    return {};
  };
  if (auto done = read(client_ca_file_, client_ca_); !done) return done;
  return read(request_header_ca_file_, request_header_ca_);
}

Result<void> Authenticator::Load(const Warn& warn) {
  if (auto read = ReadFiles(); !read) return read;
  if (!NeedsLookup()) {
    if (client_ == nullptr && options_.client_ca_file.empty() && !options_.skip_lookup) {
      warn("there is no --authentication-kubeconfig, so that client certificates and tokens are not known");
    }
    return {};
  }
  seconds_to_lookup_ = kRetryPeriodS;
  auto answered = std::make_shared<std::promise<Result<void>>>();
  std::future<Result<void>> answer = answered->get_future();
  Lookup([answered](const Result<void>& done) { answered->set_value(done); });
  if (options_.tolerate_lookup_failure) return {};
  if (answer.wait_for(kLookupTime) != std::future_status::ready)
    return Error{"looking up authentication takes too long"};
  Result<void> looked_up = answer.get();
  if (!looked_up) return std::move(looked_up).error().Within("looking up the configuration of authentication");
  return {};
}

void Authenticator::Check(const Warn& warn) {
  std::string trouble;
  if (const auto read = ReadFiles(); !read) trouble = read.error().message + "; what was read before stays in use";
  if (NeedsLookup()) {
    bool failed = false;
    {
      const std::lock_guard lock(mutex_);
      failed = !trouble_.empty();
      if (failed && trouble.empty()) trouble = "looking up the configuration of authentication: " + trouble_;
    }
    if (failed) seconds_to_lookup_ = std::min(seconds_to_lookup_, kRetryPeriodS);
    if (--seconds_to_lookup_ <= 0) {
      seconds_to_lookup_ = kLookupPeriodS;
      Lookup([](const Result<void>&) {});
    }
  }
  if (trouble != told_ && !trouble.empty()) warn(trouble);
  told_ = trouble;
}

void Authenticator::Lookup(std::function<void(const Result<void>&)> done) {
  client_->Get(kConfigMap, [this, done = std::move(done)](const kube::ApiError* error, std::string_view body) {
    const Result<void> taken = error == nullptr ? TakeConfigMap(body) : Result<void>(error->ToError());
    {
      const std::lock_guard lock(mutex_);
      trouble_ = taken ? "" : taken.error().message;
    }
    done(taken);
  });
}

Result<void> Authenticator::TakeConfigMap(std::string_view body) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject()) return Error{"the ConfigMap cannot be read"};
  const rapidjson::Value* data = api::FindField(document, {"data"});
  if (data == nullptr || !data->IsObject()) return Error{"the ConfigMap has no data"};
  if (options_.client_ca_file.empty()) {
    if (auto set = client_ca_.Set(api::TextAt(*data, {"client-ca-file"})); !set) return set;
  }
  if (!options_.request_header_ca_file.empty()) return {};
  {
    const std::lock_guard lock(mutex_);
    request_header_.allowed_names = ListOf(*data, "requestheader-allowed-names", {});
    request_header_.user = ListOf(*data, "requestheader-username-headers", {});
    request_header_.uid = ListOf(*data, "requestheader-uid-headers", {});
    request_header_.group = ListOf(*data, "requestheader-group-headers", {});
    request_header_.extra_prefix = ListOf(*data, "requestheader-extra-headers-prefix", {});
  }
  return request_header_ca_.Set(api::TextAt(*data, {"requestheader-client-ca-file"}));
}

RequestHeaderNames Authenticator::request_header() const {
  const std::lock_guard lock(mutex_);
  return request_header_;
}

// A user without a name: there is none that anybody trusts.
Result<User> Authenticator::ByCertificate(const Request& request) const {
  if (request.peer_certificates == nullptr) return User{};
  std::string trouble;
  if (!request_header_ca_.empty()) {
    const RequestHeaderNames names = request_header();
    const auto proxy = request_header_ca_.Verify(*request.peer_certificates);
    if (proxy && MayVouch(names, proxy->name)) {
      User user = UserOfHeaders(names, request);
      if (!user.name.empty()) return user;
    } else {
      trouble = proxy ? proxy->name + " may not vouch for users" : proxy.error().message;
    }
  }
  if (!client_ca_.empty()) {
    auto user = client_ca_.Verify(*request.peer_certificates);
    if (user) return user;
    trouble = user.error().message;
  }
  if (!trouble.empty()) return Error{trouble};
  return User{};
}

// "Bearer TOKEN". False: there is none.
bool Authenticator::FindToken(const Request& request, std::string& token) {
  std::string_view value = request.Find("authorization");
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!value.empty() && blank(value.front())) value.remove_prefix(1);
  constexpr std::string_view kScheme = "bearer ";
  if (value.size() <= kScheme.size()) return false;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = value[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != kScheme[i]) return false;
  }
  value.remove_prefix(kScheme.size());
  token = std::string(value.substr(0, value.find(' ')));
  return !token.empty();
}

void Authenticator::Authenticate(const Request& request, Done done) {
  const Result<User> known = ByCertificate(request);
  if (known && !known->name.empty()) return done(WithGroup(*known));
  std::string token;
  if (tokens_ == nullptr || !FindToken(request, token)) {
    if (!known) return done(known.error());
    return done(User{.name = kAnonymous, .uid = "", .groups = {kUnauthenticatedGroup}});
  }
  tokens_->Review(token, [done = std::move(done)](const Result<TokenReviews::Answer>& answer) {
    if (!answer) return done(answer.error());
    if (!*answer) return done(Error{"invalid bearer token"});
    done(WithGroup(**answer));
  });
}

}  // namespace ksched::serve
