// What the tests of reading documents share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/document.h"
#include "api/raw_object.h"

namespace ksched::api {

struct ReadText {
  std::vector<std::string> documents;  // as JSON
  std::vector<std::string> problems;
};

inline ReadText Read(std::string text) {
  ReadText read;
  Problems problems;
  ReadDocumentsFromText(
      std::move(text), "f", [&](const Document& document) { read.documents.push_back(ToJson(document.root())); },
      problems);
  for (const Problem& problem : problems) read.problems.push_back(problem.ToString());
  return read;
}

// The documents and problems, a line each.
inline std::string Outcome(std::string text) {
  const ReadText read = Read(std::move(text));
  std::string lines;
  for (const auto* part : {&read.documents, &read.problems}) {
    for (const std::string& line : *part) lines.append(lines.empty() ? "" : "\n").append(line);
  }
  return lines;
}

// "line:column" of a field, in the document whose metadata.name is `name` (the first if that is empty).
inline std::string Where(std::string text, const std::string& name, const FieldPath& path) {
  std::string where = "not read";
  Problems problems;
  ReadDocumentsFromText(
      std::move(text), "f",
      [&](const Document& document) {
        if (where != "not read" || (!name.empty() && document.root()["metadata"]["name"] != name)) return;
        const Position position = document.Locate(path);
        where = std::to_string(position.line);
        where.append(":").append(std::to_string(position.column));
      },
      problems);
  return where;
}

}  // namespace ksched::api
