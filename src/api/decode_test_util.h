// For tests: decodes documents of text and keeps what came out.
#pragma once

#include <string>
#include <vector>

#include "api/document.h"
#include "api/objects.h"

namespace ksched::api {

struct DecodeOutcome {
  bool ok = true;                     // of all documents
  std::vector<Decoded> objects;       // of the documents that decoded
  std::vector<std::string> problems;  // Problem::ToString; the file is "test"

  template <typename T>
  const T& As(size_t index = 0) const {
    return std::get<T>(objects.at(index).object);
  }
};

inline DecodeOutcome DecodeText(const std::string& text, ValidationMode mode = ValidationMode::kUser) {
  DecodeOutcome outcome;
  Problems problems;
  const auto visit = [&](const Document& document) {
    Decoded decoded;
    if (DecodeObject(document, decoded, problems, mode)) {
      outcome.objects.push_back(std::move(decoded));
    } else {
      outcome.ok = false;
    }
  };
  ReadDocumentsFromText(text, "test", visit, problems);
  for (const Problem& problem : problems) outcome.problems.push_back(problem.ToString());
  return outcome;
}

// A valid pod named default/web with one container named main, to which lines of YAML are added: `container` to its
// container, `spec` to its spec, `metadata` to its metadata.
inline std::string PodYaml(const std::string& spec, const std::string& container = "",
                           const std::string& metadata = "") {
  const auto indent = [](const std::string& lines, size_t spaces) {
    std::string out;
    for (size_t at = 0; at < lines.size();) {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      out += std::string(spaces, ' ') + lines.substr(at, end - at) + "\n";
      at = end + 1;
    }
    return out;
  };
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n" + indent(metadata, 2) +
         "spec:\n  containers:\n  - name: main\n    image: nginx\n" + indent(container, 4) + indent(spec, 2);
}

}  // namespace ksched::api
