// The objects in which a webhook's certificates are: a Secret, and the ValidatingWebhookConfiguration with the bundle
// of authorities that the API server trusts. As JSON; what is not ours in them is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/webhook/certificate_plan.h"
#include "base/result.h"

namespace ksched::webhook {

// Keys that are missing, or no base64, are empty. The error: it is no Secret.
Result<StoredCertificates> ReadSecret(std::string_view secret);
// The Secret with these certificates in place of its own. `secret` has been read before.
std::string SecretWith(std::string_view secret, const StoredCertificates& certificates);
std::string NewSecret(const std::string& ns, const std::string& name, const StoredCertificates& certificates);

// The bundle of all webhooks of the configuration, in PEM; "": they have none, or not the same. The error: it is no
// configuration, or one without webhooks.
Result<std::string> BundleOf(std::string_view configuration);
// The JSON patch after which all of them have `bundle`, unless somebody else has changed the configuration meanwhile.
// `configuration` has been read before.
std::string BundlePatch(std::string_view configuration, std::string_view bundle);

}  // namespace ksched::webhook
