#include "api/document.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "api/input_sink.h"
#include "api/input_source.h"
#include "api/json_reader.h"
#include "api/json_window.h"
#include "api/yaml_reader.h"

namespace ksched::api {
namespace {

constexpr size_t kHeadBytes = size_t{4} << 10;  // what is looked at to tell JSON from YAML

bool LooksLikeJson(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

// An object whose first key is in double quotes was meant as JSON, whatever YAML says to it.
bool WasMeantAsJson(std::string_view text) {
  const size_t brace = text.find('{');
  const size_t next = brace == std::string_view::npos ? brace : text.find_first_not_of(" \t\r\n", brace + 1);
  return next != std::string_view::npos && text[next] == '"';
}

class FileReader {
 public:
  FileReader(std::string file, const std::function<void(const Document&)>& visit, Problems& problems)
      : file_(std::move(file)), visit_(visit), problems_(problems) {}

  void Read(std::unique_ptr<InputSource> source) {
    std::string head(kHeadBytes, '\0');  // a short read is enough
    Result<size_t> got = source->Read(head.data(), head.size());
    DocumentSink sink(file_, visit_, problems_);
    if (!got) {
      sink.Fail({}, got.error().message);
      return;
    }
    head.resize(*got);
    const bool json = LooksLikeJson(head);
    source = Prepend(std::move(head), std::move(source));
    if (json) {
      ReadJson(std::move(source), sink);
    } else {
      ReadYaml(*source, /*lines_before=*/0, sink);
    }
  }

 private:
  void ReadJson(std::unique_ptr<InputSource> source, DocumentSink& sink) {
    JsonWindow window(*source);
    JsonReader reader(window, sink);
    const JsonReader::Outcome outcome = reader.Read();
    if (outcome == JsonReader::Outcome::kDone) return;
    const bool from_start = outcome == JsonReader::Outcome::kNotJson;
    std::string text(window.text(from_start ? 0 : reader.position()));
    if (!from_start) {
      const int line = window.LineOf(reader.position());
      ReadYaml(*Prepend(std::move(text), std::move(source)), line - 1, sink);
      return;
    }
    const bool meant_as_json = WasMeantAsJson(text);
    Problems yaml_problems;
    DocumentSink yaml_sink(file_, visit_, yaml_problems);
    ReadYaml(*Prepend(std::move(text), std::move(source)), /*lines_before=*/0, yaml_sink);
    if (meant_as_json && yaml_sink.delivered() == 0 && !yaml_problems.empty()) {
      sink.Fail(reader.error_position(), reader.error());
      return;
    }
    for (Problem& problem : yaml_problems) problems_.push_back(std::move(problem));
  }

  std::string file_;
  const std::function<void(const Document&)>& visit_;
  Problems& problems_;
};

}  // namespace

std::string Problem::ToString() const {
  std::string text = file;
  if (position.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", position.line);
  for (const std::string* part : {&object, &field, &message}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ": ";
    text += *part;
  }
  return text;
}

Result<void> ReadDocuments(const std::string& file, const std::function<void(const Document&)>& visit,
                           Problems& problems) {
  Result<std::unique_ptr<InputSource>> source = OpenInput(file);
  if (!source) return std::move(source).error();
  FileReader(file == "-" ? "<stdin>" : file, visit, problems).Read(std::move(source).value());
  return {};
}

void ReadDocumentsFromText(std::string text, const std::string& name, const std::function<void(const Document&)>& visit,
                           Problems& problems) {
  FileReader(name, visit, problems).Read(OpenText(std::move(text)));
}

}  // namespace ksched::api
