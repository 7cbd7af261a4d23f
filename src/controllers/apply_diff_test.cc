#include "controllers/apply_diff.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace ksched::controllers {
namespace {

struct Row {
  const char* name;
  const char* manifest;
  const char* live;
  const char* applied;  // empty: there is none
  const char* change;   // empty: nothing changes
};

std::string Diff(const Row& row) {
  const auto parse = [](const char* text) {
    rapidjson::Document document;
    document.Parse(text);
    EXPECT_FALSE(document.HasParseError()) << text;
    return document;
  };
  const rapidjson::Document manifest = parse(row.manifest), live = parse(row.live);
  rapidjson::Document applied;
  if (*row.applied != '\0') applied = parse(row.applied);
  const api::FieldPath root, spec = root.Child("spec"), at = spec.Child("template");
  return FirstTemplateChange(manifest, live, *row.applied != '\0' ? &applied : nullptr, at).value_or("");
}

void Check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Diff(row), row.change);
  }
}

// A template with one container that has these fields.
#define CONTAINER(fields) R"({"spec":{"containers":[{"name":"web")" fields R"(}]}})"
#define POD(fields) R"({"spec":{)" fields R"(}})"

TEST(ApplyDiff, Fields) {
  Check({
      {"the same", CONTAINER(R"(,"image":"a")"), CONTAINER(R"(,"image":"a")"), "", ""},
      {"another image", CONTAINER(R"(,"image":"b")"), CONTAINER(R"(,"image":"a")"), "",
       "spec.template.spec.containers[web].image"},
      {"a new field", POD(R"("hostNetwork":true)"), POD(""), "", "spec.template.spec.hostNetwork"},
      {"only the live object has it", POD(""), POD(R"("nodeName":"n")"), "", ""},
      {"it was applied and is gone", POD(""), POD(R"("nodeName":"n")"), POD(R"("nodeName":"n")"),
       "spec.template.spec.nodeName"},
      {"it was applied and is gone from both", POD(""), POD(""), POD(R"("nodeName":"n")"), ""},
      {"null is absent", POD(R"("nodeName":null)"), POD(R"("nodeName":"n")"), "", ""},
      {"null, and it was applied", POD(R"("nodeName":null)"), POD(R"("nodeName":"n")"), POD(R"("nodeName":"n")"),
       "spec.template.spec.nodeName"},
      {"applied without a value", POD(""), POD(R"("nodeName":"n")"), POD(R"("nodeName":null)"), ""},
      {"a label", R"({"metadata":{"labels":{"a.b/c":"2"}}})", R"({"metadata":{"labels":{"a.b/c":"1","d":"e"}}})", "",
       "spec.template.metadata.labels[a.b/c]"},
      {"restarted by kubectl", R"({"metadata":{}})",
       R"({"metadata":{"annotations":{"kubectl.kubernetes.io/restartedAt":"now"}}})", R"({"metadata":{}})", ""},
      {"a number is no text", CONTAINER(R"(,"readinessProbe":{"httpGet":{"port":"80"}})"),
       CONTAINER(R"(,"readinessProbe":{"httpGet":{"port":80}})"), "",
       "spec.template.spec.containers[web].readinessProbe.httpGet.port"},
      {"numbers", POD(R"("terminationGracePeriodSeconds":5)"), POD(R"("terminationGracePeriodSeconds":30)"), "",
       "spec.template.spec.terminationGracePeriodSeconds"},
  });
}

TEST(ApplyDiff, Defaults) {
  Check({
      {"set by the server", CONTAINER(R"(,"image":"a")"),
       CONTAINER(R"(,"image":"a","imagePullPolicy":"Always","resources":{},"terminationMessagePath":"/x")"), "", ""},
      {"the default is no longer spelled out", POD(""), POD(R"("dnsPolicy":"ClusterFirst")"),
       POD(R"("dnsPolicy":"ClusterFirst")"), ""},
      {"another value is no longer there", POD(""), POD(R"("dnsPolicy":"Default")"), POD(R"("dnsPolicy":"Default")"),
       "spec.template.spec.dnsPolicy"},
      {"the policy for a tag", CONTAINER(R"(,"image":"h:5000/a:1")"),
       CONTAINER(R"(,"image":"h:5000/a:1","imagePullPolicy":"IfNotPresent")"),
       CONTAINER(R"(,"image":"h:5000/a:1","imagePullPolicy":"IfNotPresent")"), ""},
      {"another policy than that for a tag", CONTAINER(R"(,"image":"h:5000/a")"),
       CONTAINER(R"(,"image":"h:5000/a","imagePullPolicy":"IfNotPresent")"),
       CONTAINER(R"(,"image":"h:5000/a","imagePullPolicy":"IfNotPresent")"),
       "spec.template.spec.containers[web].imagePullPolicy"},
      {"false is left out", POD(R"("hostNetwork":false)"), POD(""), "", ""},
      {"false is something", POD(R"("enableServiceLinks":false)"), POD(""), "",
       "spec.template.spec.enableServiceLinks"},
      {"empty lists and maps", POD(R"("tolerations":[],"nodeSelector":{})"), POD(""), "", ""},
      {"no resources", CONTAINER(R"(,"resources":{"limits":{}})"), CONTAINER(""), "", ""},
      {"an empty object is something", POD(R"("affinity":{})"), POD(""), "", "spec.template.spec.affinity"},
      {"the account stays under its old name", POD(""), POD(R"("serviceAccountName":"a","serviceAccount":"a")"),
       POD(R"("serviceAccountName":"a")"), ""},
  });
}

TEST(ApplyDiff, Quantities) {
  Check({
      {"written in another way", CONTAINER(R"(,"resources":{"requests":{"cpu":"1000m","memory":"1024Mi"}})"),
       CONTAINER(R"(,"resources":{"requests":{"cpu":"1","memory":"1Gi"}})"), "", ""},
      {"as a number", CONTAINER(R"(,"resources":{"requests":{"cpu":0.5}})"),
       CONTAINER(R"(,"resources":{"requests":{"cpu":"500m"}})"), "", ""},
      {"more", CONTAINER(R"(,"resources":{"requests":{"cpu":"2"}})"),
       CONTAINER(R"(,"resources":{"requests":{"cpu":"1"}})"), "",
       "spec.template.spec.containers[web].resources.requests[cpu]"},
      {"of a volume", POD(R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"1024Mi"}}])"),
       POD(R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}])"), "", ""},
      {"a label is none", R"({"metadata":{"labels":{"cpu":"1000m"}}})", R"({"metadata":{"labels":{"cpu":"1"}}})", "",
       "spec.template.metadata.labels[cpu]"},
  });
}

TEST(ApplyDiff, MergedLists) {
  Check({
      {"a container more", POD(R"("containers":[{"name":"a"},{"name":"b"}])"), POD(R"("containers":[{"name":"a"}])"),
       "", "spec.template.spec.containers[b]"},
      {"only the live object has it", POD(R"("containers":[{"name":"a"}])"),
       POD(R"("containers":[{"name":"b"},{"name":"a"}])"), "", ""},
      {"it was applied and is gone", POD(R"("containers":[{"name":"a"}])"),
       POD(R"("containers":[{"name":"b"},{"name":"a"}])"), POD(R"("containers":[{"name":"a"},{"name":"b"}])"),
       "spec.template.spec.containers[b]"},
      {"another order", POD(R"("containers":[{"name":"a"},{"name":"b"}])"),
       POD(R"("containers":[{"name":"b"},{"name":"a"}])"), "", "spec.template.spec.containers"},
      {"a variable", CONTAINER(R"(,"env":[{"name":"A","value":"2"}])"),
       CONTAINER(R"(,"env":[{"name":"A","value":"1"}])"), "", "spec.template.spec.containers[web].env[A].value"},
      {"a variable that is empty", CONTAINER(R"(,"env":[{"name":"A","value":""}])"),
       CONTAINER(R"(,"env":[{"name":"A"}])"), "", ""},
      {"a port's protocol is the default", CONTAINER(R"(,"ports":[{"containerPort":80}])"),
       CONTAINER(R"(,"ports":[{"containerPort":80,"protocol":"TCP"}])"), "", ""},
      {"ports of two protocols",
       CONTAINER(R"(,"ports":[{"containerPort":53},{"containerPort":53,"protocol":"UDP","name":"d"}])"),
       CONTAINER(
           R"(,"ports":[{"containerPort":53,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP","name":"e"}])"),
       "", "spec.template.spec.containers[web].ports[53/UDP].name"},
      {"a mount", CONTAINER(R"(,"volumeMounts":[{"name":"v","mountPath":"/a"}])"),
       CONTAINER(R"(,"volumeMounts":[{"name":"w","mountPath":"/a"}])"), "",
       "spec.template.spec.containers[web].volumeMounts[/a].name"},
      {"spread",
       POD(R"("topologySpreadConstraints":[{"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","maxSkew":1}])"),
       POD(R"("topologySpreadConstraints":[{"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","maxSkew":2}])"), "",
       "spec.template.spec.topologySpreadConstraints[z/DoNotSchedule].maxSkew"},
  });
}

TEST(ApplyDiff, ListsThatAreReplaced) {
  Check({
      {"the same", CONTAINER(R"(,"args":["a","b"])"), CONTAINER(R"(,"args":["a","b"])"), "", ""},
      {"another order", CONTAINER(R"(,"args":["b","a"])"), CONTAINER(R"(,"args":["a","b"])"), "",
       "spec.template.spec.containers[web].args[0]"},
      {"the live one is longer", CONTAINER(R"(,"args":["a"])"), CONTAINER(R"(,"args":["a","b"])"), "",
       "spec.template.spec.containers[web].args"},
      {"what only the live one has goes", POD(R"("tolerations":[{"key":"a"}])"),
       POD(R"("tolerations":[{"key":"a","effect":"NoSchedule"}])"), "", "spec.template.spec.tolerations[0].effect"},
      {"unless it is a default",
       POD(R"("volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}])"),
       POD(R"("volumes":[{"name":"v","projected":{"sources":[{"serviceAccountToken":{"path":"t","expirationSeconds":3600}}]}}])"),
       "", ""},
  });
}

// What the real thing did: each row was applied to a v1.37.2 API server with kubectl, patched where its name says so,
// and another manifest was applied over it; `changed` is whether the stored template became another.
TEST(ApplyDiff, AsTheApiServerDid) {
  std::ifstream file("src/controllers/testdata/apply_diff.json");
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document rows;
  rows.Parse(text.str());
  ASSERT_TRUE(rows.IsArray());
  EXPECT_GT(rows.Size(), 60U);
  const api::FieldPath root, at = root.Child("spec");
  for (const rapidjson::Value& row : rows.GetArray()) {
    SCOPED_TRACE(row["name"].GetString());
    const auto change = FirstTemplateChange(row["manifest"], row["live"], &row["applied"], at);
    EXPECT_EQ(change.has_value(), row["changed"].GetBool()) << change.value_or("");
  }
}

}  // namespace
}  // namespace ksched::controllers
