// Volumes of drivers that were once in Kubernetes' own tree, as what they are to the CSI drivers that took over.
// Reference: k8s.io/csi-translation-lib, v0.37.2, as far as scheduling asks it: names of drivers, volume handles, and
// the node affinity of PersistentVolumes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/types.h"
#include "base/result.h"

namespace ksched {

struct InTreePlugin {
  std::string_view name;    // kubernetes.io/aws-ebs
  std::string_view driver;  // ebs.csi.aws.com
  bool migrated = false;    // whether the scheduler takes its volumes for those of the CSI driver
};

// The in-tree plugin of a volume, null if there is none that a CSI driver took over.
const InTreePlugin* InTreePluginOf(const api::VolumeSource& source);
// By its name (a StorageClass's provisioner); null for others.
const InTreePlugin* FindInTreePlugin(std::string_view name);

struct CsiTranslation {
  std::string_view driver;
  std::string handle;
};
// The handle of a volume with a migrated plugin (of others it is empty), and the driver.
Result<CsiTranslation> TranslateInline(const api::Volume& volume);
Result<CsiTranslation> Translate(const api::PersistentVolume& volume);
// The node affinity that the volume has for the CSI driver: topology labels by the driver's key. Only for a volume of a
// migrated plugin. Absent: none.
std::optional<api::NodeSelector> TranslatedAffinity(const api::PersistentVolume& volume);

}  // namespace ksched
