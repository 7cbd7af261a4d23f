#include "manifest/given_objects.h"

#include <filesystem>

#include "api/document.h"
#include "api/json_values.h"
#include "api/objects.h"

namespace ksched {
namespace {

// Messages have lines only as long as reading files again for them takes no noticeable time.
constexpr int kMaxFilesReadAgain = 20;

std::string KeyOf(std::string_view kind, std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(kind.size() + ns.size() + name.size() + 2);
  return key.append(kind).append(1, ' ').append(ns).append(1, '/').append(name);
}

// A document without namespace may be of any: what its namespace became is not known here.
bool IsObject(const rapidjson::Value& root, std::string_view kind, const api::ObjectMeta& wanted) {
  if (api::TextAt(root, {"kind"}) != kind || api::FindField(root, {"metadata"}) == nullptr) return false;
  const std::string ns = api::TextAt(root, {"metadata", "namespace"}), name = api::TextAt(root, {"metadata", "name"});
  if (!ns.empty() && !wanted.ns.empty() && ns != wanted.ns) return false;
  if (!name.empty()) return name == wanted.name;
  return !wanted.generate_name.empty() && api::TextAt(root, {"metadata", "generateName"}) == wanted.generate_name;
}

}  // namespace

uint32_t GivenObjects::AddFile(const std::string& file) {
  files_.push_back(file);
  return static_cast<uint32_t>(files_.size() - 1);
}

std::optional<Origin> GivenObjects::Note(std::string_view kind, const api::ObjectMeta& metadata, Origin origin) {
  const auto [place, added] = origins_.emplace(KeyOf(kind, metadata.ns, metadata.name), origin);
  if (added) return std::nullopt;
  const Origin before = place->second;
  if (origin.manifest || !before.manifest) place->second = origin;
  return before;
}

bool GivenObjects::Has(std::string_view kind, std::string_view ns, std::string_view name) const {
  return origins_.contains(KeyOf(kind, ns, name));
}

void GivenObjects::Erase(std::string_view kind, const api::ObjectMeta& metadata) {
  origins_.erase(KeyOf(kind, metadata.ns, metadata.name));
}

std::vector<std::string> GivenObjects::NamesOf(std::string_view kind) const {
  const std::string prefix = std::string(kind) + " ";
  std::vector<std::string> names;
  for (const auto& [key, origin] : origins_) {
    if (key.starts_with(prefix)) names.push_back(key.substr(prefix.size()));
  }
  return names;
}

void GivenObjects::Forget(std::string_view kind, Origin origin) {
  const std::string prefix = std::string(kind) + " ";
  boost::unordered::erase_if(origins_, [&](const auto& entry) {
    return entry.first.starts_with(prefix) && entry.second.file == origin.file && !entry.second.manifest;
  });
}

api::Problem GivenObjects::GivenTwice(std::string_view kind, const api::ObjectMeta& metadata, Origin before,
                                      const std::string& file, api::Position position) {
  const std::string text = api::DescribeObject(std::string(kind), metadata) + " is given twice, first at ";
  return {file, position, "", "", text + Where(before, kind, metadata)};
}

std::string GivenObjects::Where(Origin origin, std::string_view kind, const api::ObjectMeta& metadata) {
  const std::string& file = files_[origin.file];
  if (file == "-") return "<stdin>";
  std::error_code failure;
  if (files_read_again_ == kMaxFilesReadAgain || !std::filesystem::is_regular_file(file, failure)) return file;
  ++files_read_again_;
  int line = 0;
  api::Problems known_already;
  const auto look = [&](const api::Document& document) {
    if (line == 0 && IsObject(document.root(), kind, metadata)) line = document.Locate(api::FieldPath()).line;
  };
  if (!api::ReadDocuments(file, look, known_already) || line == 0) return file;
  return file + ":" + std::to_string(line);
}

}  // namespace ksched
