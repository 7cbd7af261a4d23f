#include "kube/list_test_util.h"

#include <fmt/format.h>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace ksched::kube {
namespace {

std::string TypeMeta(const std::string& kind) {
  std::string type;
  protozero::pbf_writer writer(type);
  writer.add_string(1, "v1");
  writer.add_string(2, kind);
  return type;
}

std::string Item(const std::string& name) {
  std::string metadata, item;
  protozero::pbf_writer(metadata).add_string(1, name);
  protozero::pbf_writer(item).add_message(1, metadata);
  return item;
}

}  // namespace

std::string ProtobufList(const TestList& list, const std::string& kind) {
  std::string metadata, raw, envelope;
  protozero::pbf_writer meta_writer(metadata), raw_writer(raw), envelope_writer(envelope);
  meta_writer.add_string(1, "");
  meta_writer.add_string(2, list.resource_version);
  meta_writer.add_string(3, list.continue_token);
  raw_writer.add_message(1, metadata);
  for (const std::string& name : list.items) raw_writer.add_message(2, Item(name));
  envelope_writer.add_message(1, TypeMeta(kind));
  envelope_writer.add_message(2, raw);
  envelope_writer.add_string(3, "");
  envelope_writer.add_string(4, "");
  return std::string("k8s\0", 4) + envelope;
}

std::string JsonList(const TestList& list, const std::string& kind) {
  std::string items;
  for (const std::string& name : list.items) {
    items += fmt::format(R"({}{{"metadata":{{"name":"{}"}}}})", items.empty() ? "" : ",", name);
  }
  return fmt::format(
      R"({{"kind":"{}","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})", kind,
      list.resource_version, list.continue_token, items);
}

std::string NameOfProtobuf(std::string_view item) {
  protozero::pbf_reader reader(item.data(), item.size());
  if (!reader.next(1)) return "?";
  protozero::pbf_reader metadata = reader.get_message();
  return metadata.next(1) ? metadata.get_string() : "?";
}

}  // namespace ksched::kube
