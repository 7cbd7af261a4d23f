// From a document to an object of a namespace: api::DecodeObject for what a user gives.
#pragma once

#include <cstddef>
#include <string>

#include "api/document.h"
#include "api/objects.h"

namespace ksched {

// Input may be anything, and as long as it likes: after so many errors nothing more is looked at.
inline constexpr size_t kMaxErrors = 1000;

// As api::DecodeObject, but objects without a namespace are in `ns`.
bool DecodeInto(const std::string& ns, const api::Document& document, api::ValidationMode mode, api::Decoded& out,
                api::Problems& problems);

// What is wrong with an object that is no pod and has no name.
api::Problem NameRequired(const std::string& kind, const std::string& file, api::Position position);

// Whether the document has a value at root.NAME, or at root.OUTER.NAME, that is not null and no empty string.
bool HasValue(const rapidjson::Value& root, const char* name);
bool HasValue(const rapidjson::Value& root, const char* outer, const char* name);

}  // namespace ksched
