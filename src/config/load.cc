#include "config/load.h"

#include <functional>
#include <optional>
#include <utility>

#include "api/document.h"
#include "api/field_errors.h"
#include "config/decode.h"
#include "config/defaults.h"
#include "config/locate.h"
#include "config/validate.h"

namespace ksched::config {
namespace {

Result<SchedulerConfiguration> LoadDocument(const api::Document& document, const FeatureGates& gates) {
  Decoded decoded = DecodeConfiguration(document.root());
  if (!decoded.errors.empty()) {
    std::string message;
    for (const DecodeError& error : decoded.errors) {
      message += (message.empty() ? "" : "\n") + Place(document, error.field) + ": " + error.message;
    }
    return Error{std::move(message)};
  }
  SetDefaults(decoded.configuration, gates);
  const FieldErrors errors = ValidateConfiguration(decoded.configuration, gates);
  if (!errors.empty()) return Error{Place(document, errors[0].field) + ": " + Aggregate(errors)};
  if (!decoded.configuration.extenders.empty()) {
    return Error{Place(document, "extenders") + ": extenders: not supported yet"};
  }
  return std::move(decoded.configuration);
}

// A configuration is one document: a second one would be ignored by kube-scheduler, which nobody means.
class Loader {
 public:
  explicit Loader(const FeatureGates& gates) : gates_(gates) {}

  void Visit(const api::Document& document) {
    if (result_ && !document.root().IsNull()) {
      if (result_->ok()) result_ = Error{Place(document, "") + ": a second document: a configuration has one"};
    } else if (!result_) {
      if (document.root().IsNull()) {
        empty_ = Place(document, "");
      } else {
        result_ = LoadDocument(document, gates_);
      }
    }
  }

  Result<SchedulerConfiguration> Finish(const std::string& file, const api::Problems& problems) {
    if (!problems.empty()) {
      std::string message;
      for (const api::Problem& problem : problems) message += (message.empty() ? "" : "\n") + problem.ToString();
      return Error{std::move(message)};
    }
    if (result_) return std::move(*result_);
    const std::string place = !empty_.empty() ? empty_ : file == "-" ? "<stdin>" : file;
    return Error{place + ": " + DecodeConfiguration(rapidjson::Value()).errors[0].message};
  }

 private:
  const FeatureGates& gates_;
  std::optional<Result<SchedulerConfiguration>> result_;
  std::string empty_;  // where a document without content stands
};

// Takes the absent plugins out of one list. Returns the first that the user put there, if there is one.
std::optional<std::string> DropFrom(std::vector<Plugin>& enabled, const std::set<std::string>& absent,
                                    std::set<std::string>& dropped) {
  for (const Plugin& plugin : enabled) {
    if (!absent.contains(plugin.name)) continue;
    if (!plugin.from_default) return plugin.name;
    dropped.insert(plugin.name);
  }
  std::erase_if(enabled, [&](const Plugin& plugin) { return absent.contains(plugin.name); });
  return std::nullopt;
}

}  // namespace

SchedulerConfiguration DefaultConfiguration(const FeatureGates& gates) {
  SchedulerConfiguration configuration;
  configuration.api_version = kGroupVersion;
  configuration.profiles.emplace_back().scheduler_name = "default-scheduler";
  SetDefaults(configuration, gates);
  return configuration;
}

Result<SchedulerConfiguration> LoadConfiguration(const std::string& file, const FeatureGates& gates) {
  if (file.empty()) return DefaultConfiguration(gates);
  Loader loader(gates);
  api::Problems problems;
  Result<void> read = api::ReadDocuments(
      file, [&](const api::Document& document) { loader.Visit(document); }, problems);
  if (!read) return std::move(read).error();
  return loader.Finish(file, problems);
}

Result<SchedulerConfiguration> LoadConfigurationFromText(std::string text, const std::string& name,
                                                         const FeatureGates& gates) {
  Loader loader(gates);
  api::Problems problems;
  api::ReadDocumentsFromText(
      std::move(text), name, [&](const api::Document& document) { loader.Visit(document); }, problems);
  return loader.Finish(name, problems);
}

Result<void> OverridePercentageOfNodesToScore(SchedulerConfiguration& configuration, int32_t percentage) {
  const api::FieldPath root;
  const FieldErrors errors = ValidatePercentageOfNodesToScore(percentage, root.Child("percentageOfNodesToScore"));
  if (!errors.empty()) return Error{Aggregate(errors)};
  configuration.percentage_of_nodes_to_score = percentage;
  return {};
}

Result<std::vector<std::string>> DropAbsentPlugins(SchedulerConfiguration& configuration,
                                                   const std::set<std::string>& absent) {
  std::set<std::string> dropped;
  for (Profile& profile : configuration.profiles) {
    std::vector<std::vector<Plugin>*> lists = {&profile.plugins.multi_point.enabled};
    for (PluginSet& set : profile.plugins.points) lists.push_back(&set.enabled);
    for (std::vector<Plugin>* list : lists) {
      const std::optional<std::string> explicitly = DropFrom(*list, absent, dropped);
      if (!explicitly) continue;
      return Error{"profile " + api::Quote(profile.scheduler_name) + ": plugin " + api::Quote(*explicitly) +
                   " is not there yet in this version of ksched"};
    }
  }
  return std::vector<std::string>(dropped.begin(), dropped.end());
}

}  // namespace ksched::config
