// The nodes of a YAML document in the order of the text, with their positions: from them come the DOM and, for
// messages, the place of a field.
#pragma once

#include <yaml.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/document.h"
#include "api/input_sink.h"
#include "api/yaml_events.h"
#include "api/yaml_scalar.h"

namespace ksched::api {

struct YamlNode {
  enum class Kind : uint8_t { kScalar, kMapping, kSequence, kAlias };
  Kind kind = Kind::kScalar;
  bool plain = false;      // of a scalar: not quoted
  bool merge_tag = false;  // of a scalar: tagged !!merge
  bool expanding = false;  // of an alias, while what it stands for is being built
  bool emptied = false;    // of a sequence whose elements have been delivered: it counts as empty
  YamlTag tag = YamlTag::kNone;
  uint32_t end = 0;     // behind the last node of its subtree: nodes follow each other as in the text
  uint32_t target = 0;  // of an alias
  Position position;
  std::string_view text;  // of a scalar; the name of an alias

  YamlScalar scalar() const { return {text, tag, plain}; }
  bool IsMergeKey() const { return kind == Kind::kScalar && text == "<<" && (plain || merge_tag); }
};

class YamlNodes {
 public:
  // Adds the node that an event begins, or ends the one it ends. Returns what is wrong, empty if nothing.
  std::string Add(const YamlEvents& events);
  void Clear();
  // Forgets the nodes from `index` on, which no alias can refer to: see anchored(). Their text goes as well, if
  // KeepText() was called before the first of them.
  void Truncate(uint32_t index);
  void KeepText() { keep_text_ = true; }

  const YamlNode& operator[](uint32_t index) const { return nodes_[index]; }
  YamlNode& operator[](uint32_t index) { return nodes_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  bool anchored() const { return !anchors_.empty(); }
  const std::vector<uint32_t>& open() const { return open_; }  // the collections around the next node
  // The value of a scalar member, null if there is none.
  const YamlNode* FindScalar(uint32_t mapping, std::string_view key) const;

 private:
  std::string AddScalar(const yaml_event_t& event);
  std::string AddAlias(const yaml_event_t& event);
  std::string Open(YamlNode::Kind kind);
  void Anchor(const yaml_char_t* name);
  std::string_view Text(const yaml_char_t* text, size_t size);

  std::vector<YamlNode> nodes_;
  std::vector<uint32_t> open_;
  boost::unordered_flat_map<std::string, uint32_t> anchors_;
  JsonPool kept_text_, text_;
  bool keep_text_ = false;
};

// The value that begins at a node.
class YamlLocator final : public Locator {
 public:
  YamlLocator(const YamlNodes& nodes, uint32_t root) : nodes_(nodes), root_(root) {}
  Position Locate(std::span<const FieldPath* const> path) const override;

 private:
  const YamlNodes& nodes_;
  uint32_t root_;
};

}  // namespace ksched::api
