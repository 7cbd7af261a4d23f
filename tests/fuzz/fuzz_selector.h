// What the fuzz targets of selectors share: text becomes a part of a pod's spec, and the pod is decoded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "api/document.h"
#include "api/objects.h"

namespace ksched::fuzz {

// `prefix` and `suffix` are the JSON around the text. `visit` gets the pod if it decoded.
inline void DecodeWithin(const std::string& prefix, const uint8_t* data, size_t size, const std::string& suffix,
                         const std::function<void(const api::Pod&)>& visit) {
  const std::string text = prefix + std::string(reinterpret_cast<const char*>(data), size) + suffix;
  for (const auto mode : {api::ValidationMode::kStored, api::ValidationMode::kUser}) {
    api::Problems problems;
    const auto decode = [&](const api::Document& document) {
      api::Decoded decoded;
      if (!api::DecodeObject(document, decoded, problems, mode)) return;
      if (const auto* pod = std::get_if<api::Pod>(&decoded.object)) visit(*pod);
    };
    api::ReadDocumentsFromText(text, "fuzz", decode, problems);
    for (const api::Problem& problem : problems) (void)problem.ToString();
  }
}

inline constexpr char kPodHead[] =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],)";

}  // namespace ksched::fuzz
