#include "kube/change_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Writes down what it hears: "add ns/name@version", "update ...", "remove ns/name".
class Heard final : public ChangeSink {
 public:
  Result<void> OnAdd(const WatchedObject&, const api::ObjectHead& head) override { return Note("add", head); }
  Result<void> OnUpdate(const WatchedObject&, const api::ObjectHead& head) override { return Note("update", head); }
  void OnRemove(const Resource&, std::string_view ns, std::string_view name) override {
    lines.push_back("remove " + std::string(ns) + "/" + std::string(name));
  }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
  bool fails = false;

 private:
  Result<void> Note(const char* what, const api::ObjectHead& head) {
    lines.push_back(std::string(what) + " " + std::string(head.ns) + "/" + std::string(head.name) + "@" +
                    std::string(head.resource_version));
    if (fails) return Error{"cannot be read"};
    return {};
  }
};

std::string Object(std::string_view name, std::string_view version, std::string_view uid = "u",
                   std::string_view ns = "d") {
  std::string metadata, object;
  protozero::pbf_writer meta(metadata);
  meta.add_string(1, name.data(), name.size());
  meta.add_string(3, ns.data(), ns.size());
  meta.add_string(5, uid.data(), uid.size());
  meta.add_string(6, version.data(), version.size());
  protozero::pbf_writer(object).add_message(1, metadata);
  return object;
}

class ChangeLedgerTest : public testing::Test {
 protected:
  void Begin() { ledger_.OnListBegin(pods_); }
  void End() { ledger_.OnListEnd(pods_); }
  bool List(const std::string& bytes) { return ledger_.OnListed({pods_, "v1", bytes}).ok(); }
  bool Event(WatchEventType type, const std::string& bytes) { return ledger_.OnEvent(type, {pods_, "v1", bytes}).ok(); }
  void Listed(std::initializer_list<std::string> objects) {
    Begin();
    for (const std::string& object : objects) EXPECT_TRUE(List(object));
    End();
  }

  const Resource& pods_ = *FindResource("", "pods");
  Heard heard_;
  ChangeLedger ledger_{heard_};
};

TEST_F(ChangeLedgerTest, AListAndWhatFollows) {
  Listed({Object("a", "3"), Object("b", "5")});
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/a@3", "add d/b@5"));
  Event(WatchEventType::kModified, Object("a", "6"));
  Event(WatchEventType::kAdded, Object("c", "7", "w"));
  Event(WatchEventType::kDeleted, Object("b", "8"));
  EXPECT_THAT(heard_.Take(), ElementsAre("update d/a@6", "add d/c@7", "remove d/b"));
  EXPECT_EQ(ledger_.size(pods_), 2u);
}

TEST_F(ChangeLedgerTest, WhatComesTwiceIsToldOnce) {
  Listed({Object("a", "3")});
  Event(WatchEventType::kModified, Object("a", "6"));
  Event(WatchEventType::kDeleted, Object("a", "7"));
  heard_.Take();
  // The same bytes again: nothing of them counts, and the object does not rise from the dead.
  Event(WatchEventType::kAdded, Object("a", "3"));
  Event(WatchEventType::kModified, Object("a", "6"));
  Event(WatchEventType::kDeleted, Object("a", "7"));
  EXPECT_THAT(heard_.Take(), IsEmpty());
  EXPECT_EQ(ledger_.counters(pods_).repeats, 3u);
}

TEST_F(ChangeLedgerTest, ANewListTellsOnlyWhatIsDifferent) {
  Listed({Object("a", "3"), Object("b", "4"), Object("c", "5")});
  heard_.Take();
  Listed({Object("a", "3"), Object("c", "9"), Object("e", "10")});
  EXPECT_THAT(heard_.Take(), ElementsAre("update d/c@9", "add d/e@10", "remove d/b"));
  EXPECT_EQ(ledger_.counters(pods_).missed, 1u);
}

TEST_F(ChangeLedgerTest, AListThatStartsAnew) {
  Listed({Object("a", "3"), Object("b", "4")});
  heard_.Take();
  Begin();
  List(Object("a", "3"));
  List(Object("x", "5"));  // gone by the time that the list is complete
  Begin();
  List(Object("a", "3"));
  List(Object("b", "4"));
  End();
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/x@5", "remove d/x"));
}

TEST_F(ChangeLedgerTest, AnotherObjectOfTheSameName) {
  Listed({Object("a", "3", "first")});
  heard_.Take();
  Listed({Object("a", "9", "second")});
  EXPECT_THAT(heard_.Take(), ElementsAre("remove d/a", "add d/a@9"));
  Event(WatchEventType::kDeleted, Object("a", "10", "first"));
  EXPECT_THAT(heard_.Take(), IsEmpty()) << "it is not the one that is there";
  Event(WatchEventType::kAdded, Object("a", "12", "third"));
  EXPECT_THAT(heard_.Take(), ElementsAre("remove d/a", "add d/a@12"));
}

TEST_F(ChangeLedgerTest, AStreamedListGoesOnWithWhatHappens) {
  Begin();
  List(Object("a", "3"));
  List(Object("b", "4"));
  List(Object("a", "8"));
  List(Object("a", "3"));  // older than what has been said
  Event(WatchEventType::kDeleted, Object("b", "9"));
  End();
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/a@3", "add d/b@4", "update d/a@8", "remove d/b"));
}

TEST_F(ChangeLedgerTest, AServerThatWasSetBack) {
  Listed({Object("a", "30"), Object("b", "40")});
  heard_.Take();
  Listed({Object("a", "3")});
  EXPECT_THAT(heard_.Take(), ElementsAre("update d/a@3", "remove d/b"));
  Event(WatchEventType::kModified, Object("a", "4"));
  EXPECT_THAT(heard_.Take(), ElementsAre("update d/a@4"));
}

TEST_F(ChangeLedgerTest, AnObjectThatCannotBeReadIsNotToldAgain) {
  heard_.fails = true;
  Begin();
  EXPECT_FALSE(List(Object("a", "3")));
  End();
  EXPECT_TRUE(Event(WatchEventType::kAdded, Object("a", "3")));
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/a@3"));
  EXPECT_FALSE(Event(WatchEventType::kModified, "no message"));
}

TEST_F(ChangeLedgerTest, KindsAreKeptApart) {
  const Resource& services = *FindResource("", "services");
  Listed({Object("a", "3")});
  ledger_.OnListBegin(services);
  ledger_.OnListEnd(services);
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/a@3"));
  EXPECT_EQ(ledger_.size(services), 0u);
  EXPECT_EQ(ledger_.counters(*FindResource("", "nodes")).adds, 0u);
}

TEST_F(ChangeLedgerTest, VersionsThatAreNoNumbers) {
  Listed({Object("a", "x")});
  Event(WatchEventType::kModified, Object("a", "y"));
  Event(WatchEventType::kModified, Object("a", "y"));
  EXPECT_THAT(heard_.Take(), ElementsAre("add d/a@x", "update d/a@y"));
}

}  // namespace
}  // namespace ksched::kube
