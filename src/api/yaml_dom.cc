#include "api/yaml_dom.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <iterator>
#include <utility>

#include "api/input_limits.h"

namespace ksched::api {
namespace {

// How much of a document may come from aliases (go-yaml's limits): nearly all of a small one, a tenth of a huge one.
double AllowedAliasShare(uint64_t decoded) {
  constexpr double kSmall = 400'000, kHuge = 4'000'000, kMost = 0.99, kLeast = 0.10;
  const double share = (static_cast<double>(decoded) - kSmall) / (kHuge - kSmall);
  return kMost - (kMost - kLeast) * std::clamp(share, 0.0, 1.0);
}

rapidjson::SizeType Size(size_t size) { return static_cast<rapidjson::SizeType>(size); }

// Of members with the same key the last stays, even if a merge brought it after the mapping's own (as in go-yaml).
template <typename Members>
void KeepLast(Members& members) {
  boost::unordered_flat_map<std::string_view, size_t> last;
  for (size_t i = 0; i < members.size(); ++i) last[members[i].key] = i;
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (last[members[i].key] != i) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

}  // namespace

bool YamlBuilder::Build(uint32_t node, Json& value, JsonPool& pool) {
  pool_ = &pool;
  depth_ = alias_depth_ = 0;
  return Value(node, value);
}

bool YamlBuilder::Fail(uint32_t node, std::string message) {
  problem_position_ = nodes_[node].position;
  problem_ = std::move(message);
  return false;
}

bool YamlBuilder::Count(uint32_t node) {
  constexpr uint64_t kFewAliases = 100, kFewNodes = 1000;
  ++decoded_;
  if (alias_depth_ > 0) ++from_aliases_;
  if (from_aliases_ <= kFewAliases || decoded_ <= kFewNodes) return true;
  const double share = static_cast<double>(from_aliases_) / static_cast<double>(decoded_);
  return share <= AllowedAliasShare(decoded_) || Fail(node, "document contains excessive aliasing");
}

bool YamlBuilder::Value(uint32_t node, Json& value) {
  if (!Count(node)) return false;
  switch (nodes_[node].kind) {
    case YamlNode::Kind::kScalar: {
      Result<Json> scalar = ResolveYamlScalar(nodes_[node].scalar(), *pool_);
      if (!scalar) return Fail(node, scalar.error().message);
      value = std::move(scalar).value();
      return true;
    }
    case YamlNode::Kind::kAlias:
      return Alias(node, value);
    case YamlNode::Kind::kMapping:
    case YamlNode::Kind::kSequence:
      break;
  }
  // Beyond the limit only through aliases: the text itself has been checked.
  if (++depth_ > kMaxNesting) return Fail(node, TooDeepMessage());
  const bool ok = nodes_[node].kind == YamlNode::Kind::kMapping ? Mapping(node, value) : Sequence(node, value);
  --depth_;
  return ok;
}

bool YamlBuilder::Alias(uint32_t node, Json& value) {
  if (nodes_[node].expanding) {
    return Fail(node, fmt::format("anchor \"{}\" contains itself", nodes_[node].text));
  }
  nodes_[node].expanding = true;
  ++alias_depth_;
  const bool ok = Value(nodes_[node].target, value);
  --alias_depth_;
  nodes_[node].expanding = false;
  return ok;
}

bool YamlBuilder::Sequence(uint32_t node, Json& value) {
  value.SetArray();
  if (nodes_[node].emptied) return true;
  const uint32_t end = nodes_[node].end;
  size_t count = 0;
  for (uint32_t at = node + 1; at < end; at = nodes_[at].end) ++count;
  if (count > 0) value.Reserve(Size(count), *pool_);
  for (uint32_t at = node + 1; at < end; at = nodes_[at].end) {
    Json element;
    if (!Value(at, element)) return false;
    value.PushBack(element, *pool_);
  }
  return true;
}

bool YamlBuilder::Key(uint32_t node, std::string_view& key) {
  if (!Count(node)) return false;
  uint32_t target = node;
  if (nodes_[node].kind == YamlNode::Kind::kAlias) target = nodes_[node].target;
  if (nodes_[target].kind != YamlNode::Kind::kScalar) {
    const bool mapping = nodes_[target].kind == YamlNode::Kind::kMapping;
    return Fail(node, fmt::format("a key is {}, which JSON does not have", mapping ? "an object" : "an array"));
  }
  const Result<std::string_view> text = ResolveYamlKey(nodes_[target].scalar(), *pool_);
  if (!text) return Fail(node, text.error().message);
  key = *text;
  return true;
}

bool YamlBuilder::Mapping(uint32_t node, Json& value) {
  Members members;
  if (!ReadMembers(node, members)) return false;
  MakeObject(members, value);
  return true;
}

// Appends the members of a mapping, those merged into it in their place.
bool YamlBuilder::ReadMembers(uint32_t node, Members& members) {
  bool merges = false;
  for (uint32_t at = node + 1; at < nodes_[node].end;) {
    const uint32_t value = nodes_[at].end;
    if (nodes_[at].IsMergeKey()) {
      merges = true;
      if (!Merge(value, members)) return false;
    } else {
      Member member{.key = {}, .value = Json(), .key_node = at};
      if (!Key(at, member.key) || !Value(value, member.value)) return false;
      members.push_back(std::move(member));
    }
    at = nodes_[value].end;
  }
  if (!CheckDuplicates(members)) return false;
  if (merges) KeepLast(members);
  return true;
}

bool YamlBuilder::Merge(uint32_t node, Members& members) {
  if (nodes_[node].kind != YamlNode::Kind::kSequence) return MergeOne(node, members);
  std::vector<uint32_t> parts;
  for (uint32_t at = node + 1; at < nodes_[node].end; at = nodes_[at].end) parts.push_back(at);
  // Backwards: the earlier ones are to win.
  return std::all_of(parts.rbegin(), parts.rend(), [&](uint32_t part) { return MergeOne(part, members); });
}

bool YamlBuilder::MergeOne(uint32_t node, Members& members) {
  const bool alias = nodes_[node].kind == YamlNode::Kind::kAlias;
  const uint32_t mapping = alias ? nodes_[node].target : node;
  if (nodes_[mapping].kind != YamlNode::Kind::kMapping) {
    return Fail(node, "the value of << has to be an object or an array of objects");
  }
  if (nodes_[node].expanding) {
    return Fail(node, fmt::format("anchor \"{}\" contains itself", nodes_[node].text));
  }
  if (++depth_ > kMaxNesting) return Fail(node, TooDeepMessage());
  if (!Count(node)) return false;
  nodes_[node].expanding = alias;
  alias_depth_ += alias ? 1 : 0;
  Members merged;
  const bool ok = (!alias || Count(mapping)) && ReadMembers(mapping, merged);
  alias_depth_ -= alias ? 1 : 0;
  nodes_[node].expanding = false;
  --depth_;
  for (Member& member : merged) {
    member.merged = true;
    members.push_back(std::move(member));
  }
  return ok;
}

// Only the mapping's own keys: a merge may bring one again.
bool YamlBuilder::CheckDuplicates(const Members& members) {
  const auto check = [&](const Member& member, const Member& earlier) {
    if (member.merged || earlier.merged || member.key != earlier.key) return true;
    return Fail(member.key_node, DuplicateKeyMessage(std::string(member.key), nodes_[earlier.key_node].position.line));
  };
  constexpr size_t kSmall = 16;
  if (members.size() <= kSmall) {
    for (size_t i = 1; i < members.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!check(members[i], members[j])) return false;
      }
    }
    return true;
  }
  boost::unordered_flat_map<std::string_view, const Member*> seen;
  for (const Member& member : members) {
    if (member.merged) continue;
    const auto [earlier, inserted] = seen.emplace(member.key, &member);
    if (!inserted && !check(member, *earlier->second)) return false;
  }
  return true;
}

// AddMember would take room for 16 members; the document's own way takes what is needed.
void YamlBuilder::MakeObject(Members& members, Json& value) {
  using Dom = rapidjson::GenericDocument<rapidjson::UTF8<>, JsonPool>;
  Dom dom(pool_);
  auto generate = [&](Dom& object) {
    object.StartObject();
    for (const Member& member : members) {
      object.Key(member.key.data(), Size(member.key.size()), /*copy=*/false);
      object.Null();
    }
    return object.EndObject(Size(members.size()));
  };
  dom.Populate(generate);
  size_t next = 0;
  for (auto& member : dom.GetObject()) member.value = members[next++].value;
  value = static_cast<Json&>(dom);
}

}  // namespace ksched::api
