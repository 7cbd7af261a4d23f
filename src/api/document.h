// Reading YAML and JSON: files become documents, and a document is a RapidJSON value that knows where it came from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_path.h"
#include "base/result.h"

namespace ksched::api {

struct Position {
  int line = 0, column = 0;  // from 1; 0: not known
};

// What is wrong with the input, one finding. Findings are collected, so that a user sees them all.
struct Problem {
  std::string file;  // as the user named it; "-" is written <stdin>
  Position position;
  std::string object;  // "Pod default/web"; empty when there is none (a syntax error)
  std::string field;   // "spec.containers[0].image"; empty when the whole object is meant
  std::string message;

  // file:line: object: field: message
  std::string ToString() const;
};
using Problems = std::vector<Problem>;

// One YAML document, one JSON value, or one item of a list, during the callback that gets it.
class Document {
 public:
  virtual ~Document() = default;
  virtual const rapidjson::Value& root() const = 0;
  virtual const std::string& file() const = 0;
  // Looks the position up in the source. Only for messages: it reads the text once more. A path that does not exist
  // gives the position of the nearest ancestor that does.
  virtual Position Locate(const FieldPath& path) const = 0;
  // Nothing that follows in the source is to be read: a visitor that has seen enough says so.
  virtual void EndReading() const {}
};

// Reads every document of `file` ("-": standard input; .gz is unpacked, recognised by its content) in order. A YAML
// stream, JSON values one after the other, and lists (an object whose kind ends in List and that has items) are taken
// apart: each item comes alone, and a list of JSON is never held as a whole. Syntax errors, duplicate keys and limits
// (nesting, aliases) become problems and end the reading of that file; what came before has been given to `visit`.
// Returns an error only if the file cannot be read at all.
Result<void> ReadDocuments(const std::string& file, const std::function<void(const Document&)>& visit,
                           Problems& problems);

// The same for text in memory; `name` stands for the file in messages.
void ReadDocumentsFromText(std::string text, const std::string& name, const std::function<void(const Document&)>& visit,
                           Problems& problems);

}  // namespace ksched::api
