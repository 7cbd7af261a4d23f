// What merging pod templates has to know of their fields. Reference: the tags in k8s.io/api/core/v1/types.go, v0.37.2,
// and SetDefaults_* of pkg/apis/core/v1/defaults.go.
#pragma once

#include <span>
#include <string_view>

#include <rapidjson/document.h>

namespace ksched::controllers {

// A field of an object, `parent` being the name of the field that holds the object (for an item of a list: the list's).
struct FieldName {
  std::string_view name, parent;
};

// The fields whose values tell the items of a list apart; empty for a list that is replaced as a whole.
std::span<const std::string_view> MergeKeys(std::string_view list);
// Whether a number or text is an amount of a resource.
bool IsQuantity(const FieldName& field);
// Whether such a value comes to the same as an absent one.
bool IsAsGoodAsAbsent(const FieldName& field, const rapidjson::Value& value);
// Whether the API server sets that value where there is none. `holder` is the object that has it.
bool IsDefault(const FieldName& field, const rapidjson::Value& value, const rapidjson::Value& holder);

}  // namespace ksched::controllers
