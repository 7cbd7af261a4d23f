// For tests of lists: bodies as an API server sends them.
#pragma once

#include <string>
#include <vector>

namespace ksched::kube {

struct TestList {
  std::vector<std::string> items;  // names
  std::string resource_version = "100", continue_token;
};

// k8s\0 and a list of objects with these names.
std::string ProtobufList(const TestList& list, const std::string& kind = "PodList");
std::string JsonList(const TestList& list, const std::string& kind = "PodList");
// The name of one item of ProtobufList.
std::string NameOfProtobuf(std::string_view item);

}  // namespace ksched::kube
