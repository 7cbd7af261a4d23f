// Collects what is wrong with one document. Nothing is made (texts, positions) as long as nothing is wrong.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/document.h"
#include "api/field_path.h"

namespace ksched::api {

class ProblemReporter {
 public:
  ProblemReporter(const Document& document, Problems& problems) : document_(document), problems_(problems) {}
  ProblemReporter(const ProblemReporter&) = delete;
  ProblemReporter& operator=(const ProblemReporter&) = delete;

  // `message` without the field: "Required value". From the hundredth on they are only counted: looking a position up
  // costs a pass over the document.
  void Add(const FieldPath& path, std::string message) { Add(path, path, std::move(message)); }
  // `at` is where in the source it is, if that is more exact than the field that the API names.
  void Add(const FieldPath& path, const FieldPath& at, std::string message);

  // "FIELD: expected WHAT, found a string".
  void WrongType(const FieldPath& path, std::string_view expected, const rapidjson::Value& found);

  // True if there was anything. Says how many were left out, so it comes last.
  bool Finish();

 private:
  const Document& document_;
  Problems& problems_;
  size_t count_ = 0;
};

}  // namespace ksched::api
