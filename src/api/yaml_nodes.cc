#include "api/yaml_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "api/input_limits.h"

namespace ksched::api {
namespace {

constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

}  // namespace

void YamlNodes::Clear() {
  nodes_.clear();
  open_.clear();
  anchors_.clear();
  text_.Clear();
  kept_text_.Clear();
  keep_text_ = false;
}

void YamlNodes::Truncate(uint32_t index) {
  nodes_.resize(index);
  if (keep_text_) text_.Clear();
}

std::string YamlNodes::Add(const YamlEvents& events) {
  const yaml_event_t& event = events.event();
  if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT) {
    nodes_[open_.back()].end = size();
    open_.pop_back();
    return {};
  }
  if (nodes_.size() >= kMaxObjectValues) return TooManyValuesMessage();
  nodes_.emplace_back();
  nodes_.back().position = events.PositionOf(event.start_mark);
  nodes_.back().end = size();
  switch (event.type) {
    case YAML_SCALAR_EVENT:
      return AddScalar(event);
    case YAML_ALIAS_EVENT:
      return AddAlias(event);
    case YAML_MAPPING_START_EVENT:
      Anchor(event.data.mapping_start.anchor);
      return Open(YamlNode::Kind::kMapping);
    case YAML_SEQUENCE_START_EVENT:
      Anchor(event.data.sequence_start.anchor);
      return Open(YamlNode::Kind::kSequence);
    default:
      return "unexpected YAML event";
  }
}

std::string YamlNodes::AddScalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  YamlNode& node = nodes_.back();
  node.text = Text(scalar.value, scalar.length);
  node.plain = scalar.plain_implicit == 1;
  node.tag = ParseYamlTag(View(scalar.tag));
  node.merge_tag = View(scalar.tag) == kMergeTag;
  Anchor(scalar.anchor);
  return {};
}

std::string YamlNodes::AddAlias(const yaml_event_t& event) {
  const std::string name(View(event.data.alias.anchor));
  const auto anchor = anchors_.find(name);
  if (anchor == anchors_.end()) return fmt::format("unknown anchor \"{}\"", name);
  YamlNode& node = nodes_.back();
  node.kind = YamlNode::Kind::kAlias;
  node.target = anchor->second;
  node.text = Text(event.data.alias.anchor, name.size());
  return {};
}

std::string YamlNodes::Open(YamlNode::Kind kind) {
  if (open_.size() >= static_cast<size_t>(kMaxNesting)) return TooDeepMessage();
  nodes_.back().kind = kind;
  open_.push_back(size() - 1);
  return {};
}

void YamlNodes::Anchor(const yaml_char_t* name) {
  if (name != nullptr) anchors_[std::string(View(name))] = size() - 1;
}

std::string_view YamlNodes::Text(const yaml_char_t* text, size_t size) {
  auto* copy = static_cast<char*>((keep_text_ ? text_ : kept_text_).Malloc(size + 1));
  if (size > 0) std::memcpy(copy, text, size);
  copy[size] = '\0';
  return {copy, size};
}

const YamlNode* YamlNodes::FindScalar(uint32_t mapping, std::string_view key) const {
  if (nodes_[mapping].kind != YamlNode::Kind::kMapping) return nullptr;
  uint32_t end = nodes_[mapping].end;
  // Of a mapping still open, what is complete.
  if (const auto open = std::find(open_.begin(), open_.end(), mapping); open != open_.end()) {
    end = std::next(open) != open_.end() ? *std::next(open) : size();
  }
  for (uint32_t at = mapping + 1; at < end;) {
    const uint32_t value = nodes_[at].end;
    if (value >= end) break;
    const YamlNode& found = nodes_[value];
    if (nodes_[at].text == key && found.kind == YamlNode::Kind::kScalar) return &found;
    at = found.end;
  }
  return nullptr;
}

namespace {

class Path {
 public:
  Path(const YamlNodes& nodes, std::span<const FieldPath* const> segments) : nodes_(nodes), segments_(segments) {}

  Position Find(uint32_t root) {
    Position found = nodes_[root].position;
    uint32_t at = root;
    for (const FieldPath* segment : segments_) {
      at = Target(at);
      const bool index = segment->kind() == FieldPath::Kind::kIndex;
      if (!(index ? Element(at, segment->index(), found) : Member(at, segment->name(), found, 0))) break;
    }
    return found;
  }

 private:
  uint32_t Target(uint32_t at) const { return nodes_[at].kind == YamlNode::Kind::kAlias ? nodes_[at].target : at; }

  bool Element(uint32_t& at, size_t index, Position& found) const {
    if (nodes_[at].kind != YamlNode::Kind::kSequence) return false;
    uint32_t element = at + 1;
    for (; element < nodes_[at].end && index > 0; --index) element = nodes_[element].end;
    if (element >= nodes_[at].end) return false;
    found = nodes_[element].position;
    at = element;
    return true;
  }

  // Its own keys first, the later of two; then those merged in.
  bool Member(uint32_t& at, std::string_view name, Position& found, int depth) {
    const YamlNode& mapping = nodes_[at];
    if (mapping.kind != YamlNode::Kind::kMapping || depth > kMaxMerges) return false;
    for (uint32_t key = at + 1; key < mapping.end;) {
      const uint32_t value = nodes_[key].end;
      if (!nodes_[key].IsMergeKey() && KeyText(key) == name) {
        found = nodes_[key].position;
        at = value;
        return true;
      }
      key = nodes_[value].end;
    }
    for (uint32_t key = at + 1; key < mapping.end;) {
      const uint32_t value = nodes_[key].end;
      if (nodes_[key].IsMergeKey() && Merged(value, at, name, found, depth)) return true;
      key = nodes_[value].end;
    }
    return false;
  }

  bool Merged(uint32_t value, uint32_t& at, std::string_view name, Position& found, int depth) {
    uint32_t target = Target(value);
    if (nodes_[target].kind != YamlNode::Kind::kSequence) {
      if (!Member(target, name, found, depth + 1)) return false;
      at = target;
      return true;
    }
    for (uint32_t part = target + 1; part < nodes_[target].end; part = nodes_[part].end) {
      uint32_t mapping = Target(part);
      if (!Member(mapping, name, found, depth + 1)) continue;
      at = mapping;
      return true;
    }
    return false;
  }

  std::string_view KeyText(uint32_t key) {
    const YamlNode& node = nodes_[Target(key)];
    if (node.kind != YamlNode::Kind::kScalar) return {};
    const Result<std::string_view> text = ResolveYamlKey(node.scalar(), pool_);
    return text ? *text : std::string_view();
  }

  static constexpr int kMaxMerges = 20;  // deeper ones are not looked through: it is only for a message
  const YamlNodes& nodes_;
  std::span<const FieldPath* const> segments_;
  JsonPool pool_;
};

}  // namespace

Position YamlLocator::Locate(std::span<const FieldPath* const> path) const { return Path(nodes_, path).Find(root_); }

}  // namespace ksched::api
