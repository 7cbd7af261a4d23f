#include "controllers/apply_schema.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ksched::controllers {
namespace {

using rapidjson::Value;

constexpr std::string_view kByName[] = {"name"};
constexpr std::string_view kByPort[] = {"containerPort", "protocol"};
constexpr std::string_view kByMountPath[] = {"mountPath"};
constexpr std::string_view kByDevicePath[] = {"devicePath"};
constexpr std::string_view kByIp[] = {"ip"};
constexpr std::string_view kByTopology[] = {"topologyKey", "whenUnsatisfiable"};

constexpr std::string_view kNamedLists[] = {
    "containers",      "initContainers", "ephemeralContainers", "env", "volumes", "imagePullSecrets",
    "schedulingGates", "resourceClaims", "evictionResponders"};

// Fields that the API keeps as pointers: false, 0 and "" are not the same as absent.
constexpr std::string_view kPointers[] = {"activeDeadlineSeconds",
                                          "allowPrivilegeEscalation",
                                          "automountServiceAccountToken",
                                          "defaultMode",
                                          "enableServiceLinks",
                                          "expirationSeconds",
                                          "fsGroup",
                                          "hostUsers",
                                          "hostnameOverride",
                                          "minDomains",
                                          "mode",
                                          "optional",
                                          "priority",
                                          "privileged",
                                          "readOnlyRootFilesystem",
                                          "runAsGroup",
                                          "runAsNonRoot",
                                          "runAsUser",
                                          "runtimeClassName",
                                          "service",
                                          "setHostnameAsFQDN",
                                          "shareProcessNamespace",
                                          "storageClassName",
                                          "terminationGracePeriodSeconds",
                                          "tolerationSeconds",
                                          "volumeAttributesClassName"};

// Objects that the API keeps as maps or plain members: an empty one is the same as none.
constexpr std::string_view kPlainObjects[] = {"annotations",  "labels",   "limits",   "matchLabels", "metadata",
                                              "nodeSelector", "overhead", "requests", "resources"};

struct DefaultText {
  std::string_view name, parent, text;  // parent empty: anywhere
};
constexpr DefaultText kTexts[] = {{"protocol", "ports", "TCP"},
                                  {"terminationMessagePath", "", "/dev/termination-log"},
                                  {"terminationMessagePolicy", "", "File"},
                                  {"restartPolicy", "spec", "Always"},
                                  {"dnsPolicy", "spec", "ClusterFirst"},
                                  {"schedulerName", "spec", "default-scheduler"},
                                  {"scheme", "httpGet", "HTTP"},
                                  {"path", "httpGet", "/"},
                                  {"apiVersion", "fieldRef", "v1"},
                                  {"service", "grpc", ""},
                                  {"type", "hostPath", ""},
                                  {"divisor", "resourceFieldRef", "0"},
                                  {"volumeMode", "spec", "Filesystem"}};

struct DefaultNumber {
  std::string_view name, parent;
  int64_t number;
};
constexpr DefaultNumber kNumbers[] = {{"terminationGracePeriodSeconds", "spec", 30},
                                      {"timeoutSeconds", "", 1},
                                      {"periodSeconds", "", 10},
                                      {"successThreshold", "", 1},
                                      {"failureThreshold", "", 3},
                                      {"defaultMode", "", 420},
                                      {"expirationSeconds", "serviceAccountToken", 3600}};

template <typename List>
bool Has(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

template <typename Default>
bool IsAbout(const Default& entry, const FieldName& field) {
  return entry.name == field.name && (entry.parent.empty() || entry.parent == field.parent);
}

std::string_view TextOf(const Value& object, const char* name) {
  if (!object.IsObject()) return {};
  const auto member = object.FindMember(name);
  if (member == object.MemberEnd() || !member->value.IsString()) return {};
  return {member->value.GetString(), member->value.GetStringLength()};
}

// Always for the tag "latest", given or not; an image by digest is never pulled again.
std::string_view DefaultPullPolicy(std::string_view image) {
  if (image.find('@') != image.npos) return "IfNotPresent";
  const size_t colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != image.npos && (slash == image.npos || colon > slash);
  return !tagged || image.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

}  // namespace

std::span<const std::string_view> MergeKeys(std::string_view list) {
  if (Has(kNamedLists, list)) return kByName;
  if (list == "ports") return kByPort;
  if (list == "volumeMounts") return kByMountPath;
  if (list == "volumeDevices") return kByDevicePath;
  if (list == "hostAliases") return kByIp;
  if (list == "topologySpreadConstraints") return kByTopology;
  return {};
}

bool IsQuantity(const FieldName& field) {
  return field.parent == "limits" || field.parent == "requests" || field.parent == "overhead" ||
         field.name == "sizeLimit" || field.name == "divisor";
}

bool IsAsGoodAsAbsent(const FieldName& field, const Value& value) {
  if (value.IsNull()) return true;
  if (value.IsArray()) return value.Empty();
  if (value.IsObject()) {
    if (!Has(kPlainObjects, field.name)) return false;
    return std::all_of(value.MemberBegin(), value.MemberEnd(), [&](const auto& member) {
      if (field.name != "resources" && field.name != "metadata") return false;
      return IsAsGoodAsAbsent({{member.name.GetString(), member.name.GetStringLength()}, field.name}, member.value);
    });
  }
  if (Has(kPointers, field.name)) return false;
  if (value.IsString()) return value.GetStringLength() == 0;
  return value.IsBool() ? !value.GetBool() : value.IsNumber() && value.GetDouble() == 0;
}

bool IsDefault(const FieldName& field, const Value& value, const Value& holder) {
  if (IsAsGoodAsAbsent(field, value)) return true;
  if (value.IsObject()) {  // a volume of no other kind is an empty directory
    return value.ObjectEmpty() && ((field.name == "securityContext" && field.parent == "spec") ||
                                   (field.name == "emptyDir" && field.parent == "volumes"));
  }
  if (value.IsInt64()) {
    return std::any_of(std::begin(kNumbers), std::end(kNumbers), [&](const DefaultNumber& entry) {
      return IsAbout(entry, field) && entry.number == value.GetInt64();
    });
  }
  if (!value.IsString()) return false;
  const std::string_view text(value.GetString(), value.GetStringLength());
  if (field.name == "imagePullPolicy") return text == DefaultPullPolicy(TextOf(holder, "image"));
  // The API keeps the name under an old field, too, and takes it from there again.
  if (field.name == "serviceAccountName") return text == TextOf(holder, "serviceAccount");
  return std::any_of(std::begin(kTexts), std::end(kTexts),
                     [&](const DefaultText& entry) { return IsAbout(entry, field) && entry.text == text; });
}

}  // namespace ksched::controllers
