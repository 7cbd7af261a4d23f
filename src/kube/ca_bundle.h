// The certificates that the host trusts, found as Go finds them (crypto/x509/root_linux.go), so that a server which
// kubectl trusts is trusted here too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kube/proxy.h"

namespace ksched::kube {

struct CaLocations {
  std::vector<std::string> files;    // the first that can be read is taken
  std::vector<std::string> folders;  // then every file of all of these

  // Go's places, or SSL_CERT_FILE and SSL_CERT_DIR (folders between colons) where they are set.
  static CaLocations Of(const GetEnv& get);
};

// All certificates of the locations, one PEM text. Empty if there are none at all: then nothing is trusted. Fails if
// there are none and a location exists that cannot be read.
Result<std::string> ReadCaBundle(const CaLocations& locations);

}  // namespace ksched::kube
