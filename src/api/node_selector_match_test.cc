#include "api/node_selector_match.h"

#include <gtest/gtest.h>

namespace ksched::api {
namespace {

struct Row {
  const char* name;
  std::vector<NodeSelectorRequirement> labels, fields;
  bool matches;
};

TEST(NodeSelectorMatch, Terms) {
  const StringMap node = {{"zone", "a"}, {"cores", "8"}, {"odd", "x1"}};
  const Row rows[] = {
      {"an empty term matches nothing", {}, {}, false},
      {"in", {{"zone", "In", {"b", "a"}}}, {}, true},
      {"in others", {{"zone", "In", {"b"}}}, {}, false},
      {"in without values is invalid", {{"zone", "In", {}}}, {}, false},
      {"not in", {{"zone", "NotIn", {"b"}}}, {}, true},
      {"not in, the label is missing", {{"rack", "NotIn", {"b"}}}, {}, true},
      {"not in, it is", {{"zone", "NotIn", {"a"}}}, {}, false},
      {"exists", {{"zone", "Exists", {}}}, {}, true},
      {"exists with values is invalid", {{"zone", "Exists", {"a"}}}, {}, false},
      {"does not exist", {{"rack", "DoesNotExist", {}}}, {}, true},
      {"greater", {{"cores", "Gt", {"7"}}}, {}, true},
      {"greater, a plus sign", {{"cores", "Gt", {"8"}}}, {}, false},
      {"less", {{"cores", "Lt", {"9"}}}, {}, true},
      {"less, no number on the node", {{"odd", "Lt", {"9"}}}, {}, false},
      {"less, no number asked for", {{"cores", "Lt", {"many"}}}, {}, false},
      {"an unknown operator", {{"zone", "Like", {"a"}}}, {}, false},
      {"all of them", {{"zone", "In", {"a"}}, {"cores", "Exists", {}}}, {}, true},
      {"one does not", {{"zone", "In", {"a"}}, {"rack", "Exists", {}}}, {}, false},
      {"by name", {}, {{"metadata.name", "In", {"n1"}}}, true},
      {"by another name", {}, {{"metadata.name", "In", {"n2"}}}, false},
      {"not by name", {}, {{"metadata.name", "NotIn", {"n1"}}}, false},
      {"two names are invalid", {}, {{"metadata.name", "In", {"n1", "n2"}}}, false},
      {"another field is empty", {}, {{"spec.x", "In", {"n1"}}}, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Matches(NodeSelectorTerm{row.labels, row.fields}, "n1", node), row.matches);
  }
}

TEST(NodeSelectorMatch, AnyTermAndNoTerm) {
  const NodeSelectorTerm fits{{{"zone", "In", {"a"}}}, {}}, other{{{"zone", "In", {"b"}}}, {}};
  const StringMap node = {{"zone", "a"}};
  EXPECT_TRUE(Matches(NodeSelector{{other, fits}}, "n1", node));
  EXPECT_FALSE(Matches(NodeSelector{{other}}, "n1", node));
  EXPECT_FALSE(Matches(NodeSelector{}, "n1", node));
}

TEST(NodeSelectorMatch, Pods) {
  PodSpec spec;
  const StringMap node = {{"zone", "a"}};
  EXPECT_TRUE(MatchesRequired(spec, "n1", node));
  spec.node_selector = {{"zone", "a"}};
  EXPECT_TRUE(MatchesRequired(spec, "n1", node));
  spec.affinity = Affinity{};
  spec.affinity->node_affinity = NodeAffinity{.required = NodeSelector{}, .preferred = {}};
  EXPECT_FALSE(MatchesRequired(spec, "n1", node));
  spec.affinity->node_affinity->required.reset();
  spec.node_selector = {{"zone", "b"}};
  EXPECT_FALSE(MatchesRequired(spec, "n1", node));
}

}  // namespace
}  // namespace ksched::api
