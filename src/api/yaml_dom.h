// Nodes of YAML become a DOM: scalars resolved, aliases expanded within limits, merge keys applied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/input_sink.h"
#include "api/yaml_nodes.h"

namespace ksched::api {

class YamlBuilder {
 public:
  explicit YamlBuilder(YamlNodes& nodes) : nodes_(nodes) {}

  void BeginDocument() { decoded_ = from_aliases_ = 0; }
  // False on a problem. The value refers to the text of the nodes and to the pool.
  bool Build(uint32_t node, Json& value, JsonPool& pool);

  Position problem_position() const { return problem_position_; }
  const std::string& problem() const { return problem_; }

 private:
  struct Member {
    std::string_view key;
    Json value;
    uint32_t key_node = 0;
    bool merged = false;
  };
  using Members = std::vector<Member>;

  bool Value(uint32_t node, Json& value);
  bool Alias(uint32_t node, Json& value);
  bool Sequence(uint32_t node, Json& value);
  bool Mapping(uint32_t node, Json& value);
  bool ReadMembers(uint32_t node, Members& members);
  bool Key(uint32_t node, std::string_view& key);
  bool Merge(uint32_t node, Members& members);
  bool MergeOne(uint32_t node, Members& members);
  bool CheckDuplicates(const Members& members);
  void MakeObject(Members& members, Json& value);
  bool Count(uint32_t node);
  bool Fail(uint32_t node, std::string message);

  YamlNodes& nodes_;
  JsonPool* pool_ = nullptr;
  int depth_ = 0, alias_depth_ = 0;
  uint64_t decoded_ = 0, from_aliases_ = 0;  // nodes built, and of those, for aliases
  Position problem_position_;
  std::string problem_;
};

}  // namespace ksched::api
