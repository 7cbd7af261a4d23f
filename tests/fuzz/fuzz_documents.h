// What the fuzz targets of YAML and JSON share.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "api/document.h"

namespace ksched::fuzz {

// Goes through a value and asks for the position of every part of it; the text is long enough to have one.
inline void LocateAll(const api::Document& document, const rapidjson::Value& value, const api::FieldPath& path,
                      int& budget) {
  if (--budget < 0) return;
  if (document.Locate(path).line < 1) std::abort();
  if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      const std::string_view name(member.name.GetString(), member.name.GetStringLength());
      LocateAll(document, member.value, path.Child(name), budget);
    }
  } else if (value.IsArray()) {
    size_t index = 0;
    for (const auto& element : value.GetArray()) LocateAll(document, element, path.Index(index++), budget);
  }
}

inline void ReadAndLocate(std::string text) {
  api::Problems problems;
  int budget = 200;  // positions are looked up for messages only: each reads the text again
  api::ReadDocumentsFromText(
      std::move(text), "fuzz",
      [&](const api::Document& document) {
        if (!document.root().IsObject()) std::abort();
        LocateAll(document, document.root(), api::FieldPath(), budget);
      },
      problems);
  if (problems.size() > 1) std::abort();  // the first problem ends the reading
  for (const api::Problem& problem : problems) {
    if (problem.message.empty() || problem.ToString().empty()) std::abort();
  }
}

}  // namespace ksched::fuzz
