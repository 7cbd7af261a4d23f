#include "plugins/common/csi_translation.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "plugins/common/zone_labels.h"

namespace ksched {
namespace {

constexpr InTreePlugin kGcePd{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io", true};
constexpr InTreePlugin kAwsEbs{"kubernetes.io/aws-ebs", "ebs.csi.aws.com", true};
constexpr InTreePlugin kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org", true};
constexpr InTreePlugin kAzureDisk{"kubernetes.io/azure-disk", "disk.csi.azure.com", true};
constexpr InTreePlugin kPortworx{"kubernetes.io/portworx-volume", "pxd.portworx.com", true};
constexpr InTreePlugin kAzureFile{"kubernetes.io/azure-file", "file.csi.azure.com", false};
constexpr InTreePlugin kVsphere{"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", false};
constexpr std::array kAll = {&kGcePd, &kAwsEbs, &kCinder, &kAzureDisk, &kPortworx, &kAzureFile, &kVsphere};

// By which label the driver knows zones; "": it does not.
std::string_view ZoneKeyOf(const InTreePlugin& plugin) {
  if (&plugin == &kGcePd) return "topology.gke.io/zone";
  if (&plugin == &kAwsEbs) return "topology.ebs.csi.aws.com/zone";
  if (&plugin == &kCinder) return "topology.cinder.csi.openstack.org/zone";
  return {};
}

// ---- handles ----

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Absent: a % without two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1, low = high < 0 ? -1 : HexDigit(text[i + 2]);
    if (low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// "aws://zone/vol-1" names the volume vol-1; what is no such URL is a volume's id itself.
Result<std::string> EbsHandle(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!std::string_view(id).starts_with(kScheme)) return id;
  std::string_view rest = std::string_view(id).substr(kScheme.size());
  rest = rest.substr(0, rest.find('#'));
  rest = rest.substr(0, rest.find('?'));
  const size_t slash = rest.find('/');
  const std::string_view path = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  const std::optional<std::string> decoded = PercentDecoded(path);
  std::string name = decoded.value_or("");
  name.erase(0, name.find_first_not_of('/'));
  name.erase(name.find_last_not_of('/') + 1);
  if (decoded && name.starts_with("vol-") && name.find('/') == std::string::npos) return name;
  return Error{"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" + id + ")"};
}

std::string GceHandle(std::string_view places, std::string_view place, const std::string& name) {
  return "projects/UNSPECIFIED/" + std::string(places) + "/" + std::string(place) + "/disks/" + name;
}

// Zones are named {locale}-{region}-{zone}.
Result<std::string> GceRegion(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    if (std::count(zone.begin(), zone.end(), '-') != 2) {
      return Error{"zone in unexpected format, expected: {locale}-{region}-{zone}, got: " + zone};
    }
    regions.insert(zone.substr(0, zone.rfind('-')));
  }
  if (regions.size() == 1) return *regions.begin();
  std::string all;
  for (const std::string& region : regions) all += (all.empty() ? "" : " ") + region + ":{}";
  return Error{"multiple or no regions gotten from zones, got: map[" + all + "]"};
}

Result<std::string> GceHandle(const api::PersistentVolume& volume) {
  const api::StringMap& labels = volume.metadata.labels;
  const std::string& name = volume.spec.source.gce_persistent_disk->pd_name;
  auto found = labels.find(kBetaZoneLabel);
  if (found == labels.end() || found->second.empty()) found = labels.find(kZoneLabel);
  if (found == labels.end() || found->second.empty()) return GceHandle("zones", "UNSPECIFIED", name);
  const std::vector<std::string> zones = SplitZones(found->second);
  if (zones.size() == 1) return GceHandle("zones", zones[0], name);
  Result<std::string> region = GceRegion(zones);
  if (!region) return std::move(region).error().Within("failed to get region from zones");
  return GceHandle("regions", *region, name);
}

Result<std::string> AzureDiskHandle(const api::AzureDisk& disk) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string kind = disk.kind;
  for (char& c : kind) c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  if (kind == "managed") return disk.disk_uri;
  return Error{"kind(" + disk.kind + ") is not supported in csi migration"};
}

// Of what needs nothing but the source.
Result<std::string> HandleOf(const api::VolumeSource& source) {
  if (source.gce_persistent_disk) return GceHandle("zones", "UNSPECIFIED", source.gce_persistent_disk->pd_name);
  if (source.aws_elastic_block_store) return EbsHandle(source.aws_elastic_block_store->volume_id);
  if (source.cinder) return source.cinder->volume_id;
  if (source.azure_disk) return AzureDiskHandle(*source.azure_disk);
  if (source.portworx_volume) return source.portworx_volume->volume_id;
  return std::string();
}

// ---- node affinity ----

bool HasKey(const std::optional<api::NodeSelector>& affinity, std::string_view key) {
  if (!affinity) return false;
  const auto& terms = affinity->terms;
  return std::any_of(terms.begin(), terms.end(), [key](const api::NodeSelectorTerm& term) {
    return std::any_of(term.match_expressions.begin(), term.match_expressions.end(),
                       [key](const api::NodeSelectorRequirement& requirement) { return requirement.key == key; });
  });
}

bool HasValueOf(const std::optional<api::NodeSelector>& affinity, std::string_view key) {
  if (!affinity) return false;
  for (const api::NodeSelectorTerm& term : affinity->terms) {
    for (const api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == key && !requirement.values.empty()) return true;
    }
  }
  return false;
}

void ReplaceKey(std::string_view from, std::string_view to, api::NodeSelector& affinity) {
  for (api::NodeSelectorTerm& term : affinity.terms) {
    for (api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key == from) requirement.key = to;
    }
  }
}

void RequireZones(std::string_view key, const std::vector<std::string>& zones,
                  std::optional<api::NodeSelector>& affinity) {
  std::set<std::string> values;
  for (const std::string& zone : zones) {
    if (!zone.empty()) values.insert(zone);
  }
  if (values.empty()) return;
  if (!affinity) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (api::NodeSelectorTerm& term : affinity->terms) {
    term.match_expressions.push_back({std::string(key), "In", {values.begin(), values.end()}});
  }
}

// Whether the volume's zones stand under the label that came before topology.kubernetes.io/zone.
bool UsesBetaLabels(const api::PersistentVolume& volume) {
  const auto& affinity = volume.spec.required_node_affinity;
  if (HasKey(affinity, kZoneLabel)) return false;
  if (HasKey(affinity, kBetaZoneLabel)) return true;
  return !volume.metadata.labels.contains(kZoneLabel) && volume.metadata.labels.contains(kBetaZoneLabel);
}

}  // namespace

const InTreePlugin* InTreePluginOf(const api::VolumeSource& source) {
  if (source.gce_persistent_disk) return &kGcePd;
  if (source.aws_elastic_block_store) return &kAwsEbs;
  if (source.cinder) return &kCinder;
  if (source.azure_disk) return &kAzureDisk;
  if (source.azure_file) return &kAzureFile;
  if (source.vsphere_volume) return &kVsphere;
  if (source.portworx_volume) return &kPortworx;
  return nullptr;
}

const InTreePlugin* FindInTreePlugin(std::string_view name) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [name](const auto* plugin) { return plugin->name == name; });
  return found == kAll.end() ? nullptr : *found;
}

Result<CsiTranslation> TranslateInline(const api::Volume& volume) {
  const InTreePlugin* plugin = InTreePluginOf(volume.source);
  if (plugin == nullptr) {
    return Error{"could not find in-tree plugin translation logic for " + api::Quote(volume.name)};
  }
  Result<std::string> handle = HandleOf(volume.source);
  if (!handle) return std::move(handle).error();
  return CsiTranslation{plugin->driver, std::move(handle).value()};
}

Result<CsiTranslation> Translate(const api::PersistentVolume& volume) {
  const InTreePlugin* plugin = InTreePluginOf(volume.spec.source);
  if (plugin == nullptr) {
    return Error{"could not find in-tree plugin translation logic for " + api::Quote(volume.metadata.name)};
  }
  Result<std::string> handle = plugin == &kGcePd ? GceHandle(volume) : HandleOf(volume.spec.source);
  if (!handle) return std::move(handle).error();
  return CsiTranslation{plugin->driver, std::move(handle).value()};
}

std::optional<api::NodeSelector> TranslatedAffinity(const api::PersistentVolume& volume) {
  std::optional<api::NodeSelector> affinity = volume.spec.required_node_affinity;
  const InTreePlugin* plugin = InTreePluginOf(volume.spec.source);
  const std::string_view key = plugin == nullptr ? std::string_view() : ZoneKeyOf(*plugin);
  if (key.empty()) return affinity;
  const bool beta = UsesBetaLabels(volume);
  const char* const zone_label = beta ? kBetaZoneLabel : kZoneLabel;
  if (HasValueOf(affinity, zone_label)) {
    ReplaceKey(zone_label, key, *affinity);
  } else if (const auto label = volume.metadata.labels.find(zone_label); label != volume.metadata.labels.end()) {
    RequireZones(key, SplitZones(label->second), affinity);
  }
  if (beta && HasValueOf(affinity, kBetaRegionLabel)) ReplaceKey(kBetaRegionLabel, kRegionLabel, *affinity);
  return affinity;
}

}  // namespace ksched
