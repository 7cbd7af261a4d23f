#include "manifest/given_objects.h"

#include <filesystem>

#include "api/document.h"

namespace ksched {
namespace {

// Messages have lines only as long as reading files again for them takes no noticeable time.
constexpr int kMaxFilesReadAgain = 20;

std::string KeyOf(std::string_view kind, std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(kind.size() + ns.size() + name.size() + 2);
  return key.append(kind).append(1, ' ').append(ns).append(1, '/').append(name);
}

std::string_view TextAt(const rapidjson::Value& value, const char* name) {
  if (!value.IsObject()) return {};
  const auto member = value.FindMember(name);
  if (member == value.MemberEnd() || !member->value.IsString()) return {};
  return {member->value.GetString(), member->value.GetStringLength()};
}

// A document without namespace may be of any: what its namespace became is not known here.
bool IsObject(const rapidjson::Value& root, std::string_view kind, const api::ObjectMeta& wanted) {
  if (TextAt(root, "kind") != kind) return false;
  const auto metadata = root.FindMember("metadata");
  if (metadata == root.MemberEnd()) return false;
  const std::string_view ns = TextAt(metadata->value, "namespace"), name = TextAt(metadata->value, "name");
  if (!ns.empty() && !wanted.ns.empty() && ns != wanted.ns) return false;
  if (!name.empty()) return name == wanted.name;
  return !wanted.generate_name.empty() && TextAt(metadata->value, "generateName") == wanted.generate_name;
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

bool GivenObjects::IsOfManifest(std::string_view kind, const api::ObjectMeta& metadata) const {
  const auto found = origins_.find(KeyOf(kind, metadata.ns, metadata.name));
  return found != origins_.end() && found->second.manifest;
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
