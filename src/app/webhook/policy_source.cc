#include "app/webhook/policy_source.h"

#include <utility>

#include "kube/credentials_file.h"

namespace ksched::webhook {

Result<std::string> PolicySource::ReadText(const std::string& path) {
  auto text = kube::ReadWholeFile(path);
  if (!text) return Error{path + " cannot be read"};
  return text;
}

Result<std::shared_ptr<const Policy>> PolicySource::Load() {
  if (path_.empty()) return std::shared_ptr<const Policy>(std::make_shared<const Policy>());
  auto text = ReadText(path_);
  if (!text) return std::move(text).error();
  seen_ = *text;
  auto policy = Policy::Read(std::move(*text), path_);
  if (!policy) return std::move(policy).error();
  return std::shared_ptr<const Policy>(std::make_shared<const Policy>(std::move(*policy)));
}

PolicySource::Check PolicySource::Look(std::shared_ptr<const Policy>& policy,
                                       const std::function<void(const std::string&)>& tell) {
  if (path_.empty()) return Check::kSame;
  auto text = ReadText(path_);
  std::string now = text ? *text : text.error().message;
  if (now == seen_) return Check::kSame;
  seen_ = std::move(now);
  if (!text) return tell(text.error().message), Check::kBad;
  auto read = Policy::Read(std::move(*text), path_);
  if (!read) return tell(read.error().message), Check::kBad;
  policy = std::make_shared<const Policy>(std::move(*read));
  return Check::kNew;
}

}  // namespace ksched::webhook
