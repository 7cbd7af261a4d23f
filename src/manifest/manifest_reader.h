// Reads the files of -f: every object that is to be created, in order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/objects.h"
#include "manifest/given_objects.h"

namespace ksched {

struct ManifestObject {
  api::Decoded decoded;
  Origin origin;
  std::string text;  // of pods and what makes pods: the whole object as JSON
};

struct Manifests {
  std::vector<ManifestObject> objects;
  std::vector<std::string> errors;
  std::map<std::string, size_t> ignored;  // kinds that do not matter, and how many objects of each
  size_t documents = 0;
  double read_cpu_seconds = 0, decode_cpu_seconds = 0;
};

// Objects without a namespace are in `ns`. Every object with a name is noted in `given`; one that is given twice is an
// error.
Manifests ReadManifests(const std::vector<std::string>& arguments, bool recursive, const std::string& ns,
                        GivenObjects& given);

}  // namespace ksched
