#include "manifest/manifest_reader.h"

#include <optional>
#include <utility>

#include "api/json_values.h"
#include "base/cpu_time.h"
#include "manifest/decode.h"
#include "manifest/files.h"

namespace ksched {
namespace {

class Reader {
 public:
  Reader(const std::string& ns, GivenObjects& given) : ns_(ns), given_(given) {}

  void ReadFile(const std::string& file) {
    const uint32_t number = given_.AddFile(file);
    const double start = CpuSeconds(), decode_before = out_.decode_cpu_seconds;
    api::Problems problems;  // of the file's syntax
    const auto visit = [&](const api::Document& document) {
      const double decode_start = CpuSeconds();
      Visit(document, {number, true});
      out_.decode_cpu_seconds += CpuSeconds() - decode_start;
    };
    const auto done = api::ReadDocuments(file, visit, problems);
    Report(problems);
    if (!done) out_.errors.push_back(done.error().message);
    out_.read_cpu_seconds += CpuSeconds() - start - (out_.decode_cpu_seconds - decode_before);
  }
  void Report(std::string error) { out_.errors.push_back(std::move(error)); }
  Manifests Take() { return std::move(out_); }

 private:
  void Report(const api::Problems& problems) {
    for (const api::Problem& problem : problems) {
      if (out_.errors.size() < kMaxErrors) out_.errors.push_back(problem.ToString());
    }
  }
  api::Position Locate(const api::Document& document) {
    return ++located_ <= kMaxLocated ? document.Locate(api::FieldPath()) : api::Position();
  }

  void Visit(const api::Document& document, Origin origin) {
    ++out_.documents;
    if (out_.errors.size() >= kMaxErrors) return document.EndReading();
    ManifestObject one;
    one.origin = origin;
    api::Problems problems;
    const bool good = DecodeInto(ns_, document, api::ValidationMode::kUser, one.decoded, problems);
    Report(problems);
    if (!good) return;
    if (one.decoded.kind_class == api::KindClass::kIgnored) {
      ++out_.ignored[one.decoded.kind];
      return;
    }
    const api::ObjectMeta& metadata = api::MetadataOf(one.decoded.object);
    const bool is_pod = std::holds_alternative<api::Pod>(one.decoded.object);
    if (metadata.name.empty() && !is_pod) {
      return Report({NameRequired(one.decoded.kind, document.file(), Locate(document))});
    }
    if (!metadata.name.empty() && IsGivenTwice(one.decoded.kind, metadata, document, origin)) return;
    if (is_pod || std::holds_alternative<api::Workload>(one.decoded.object)) {
      one.text = api::CanonicalJson(document.root());
    }
    out_.objects.push_back(std::move(one));
  }

  bool IsGivenTwice(const std::string& kind, const api::ObjectMeta& metadata, const api::Document& document,
                    Origin origin) {
    const std::optional<Origin> before = given_.Note(kind, metadata, origin);
    if (!before) return false;
    Report({given_.GivenTwice(kind, metadata, *before, document.file(), Locate(document))});
    return true;
  }

  const std::string& ns_;
  GivenObjects& given_;
  Manifests out_;
  size_t located_ = 0;
};

}  // namespace

Manifests ReadManifests(const std::vector<std::string>& arguments, bool recursive, const std::string& ns,
                        GivenObjects& given) {
  Reader reader(ns, given);
  const auto files = ExpandFiles(arguments, recursive);
  if (!files) {
    reader.Report(files.error().message);
  } else {
    for (const std::string& file : *files) reader.ReadFile(file);
  }
  return reader.Take();
}

}  // namespace ksched
