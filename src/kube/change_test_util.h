// For tests of ChangeSinks: what the API server says, in JSON.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "api/object_head.h"
#include "kube/change_ledger.h"

namespace ksched::kube {

// Tells the sink of a node whose CPUs are `cpu`, as an addition or an update.
inline Result<void> SayNode(ChangeSink& sink, bool add, const std::string& name, const std::string& cpu) {
  const std::string text = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                           R"("},"status":{"allocatable":{"cpu":")" + cpu + R"("}}})";
  Result<void> said;
  api::Problems problems;
  const auto visit = [&](const api::Document& document) {
    const api::ObjectHead head = api::ReadHead(document);
    const WatchedObject object{*FindResource("", "nodes"), "v1", {}, &document};
    said = add ? sink.OnAdd(object, head) : sink.OnUpdate(object, head);
  };
  api::ReadDocumentsFromText(text, "test", visit, problems);
  EXPECT_TRUE(problems.empty());
  return said;
}

}  // namespace ksched::kube
