// For tests of watches: streams as an API server sends them, and a sink that keeps what is there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/http_test_util.h"
#include "kube/watch_sink.h"

namespace ksched::kube {

// Events of pods, in the encoding of the stream that they are for.
class TestEvents {
 public:
  explicit TestEvents(bool json) : json_(json) {}

  std::string Object(const std::string& type, const std::string& name, const std::string& version) const;
  std::string Bookmark(const std::string& version, bool initial_events_end = false) const;
  // cause: of details.causes; empty: none.
  std::string Error(int code, const std::string& reason, const std::string& cause = "") const;

  // An answer that is `body`, which goes on: nothing follows, or the connection breaks (Close), or the stream ends.
  Reply Open(const std::string& body) const;
  Reply Broken(const std::string& body) const;
  Reply Ended(const std::string& body) const;
  Reply List(const std::vector<std::string>& names, const std::string& version) const;
  // A part of a body that is sent in parts.
  static std::string Chunk(const std::string& part);

 private:
  std::string type() const;
  std::string Framed(const std::string& type, const std::string& kind, const std::string& message) const;

  bool json_;
};

// Names by resource, as somebody has them who believes every word, and a log of all that was said:
// "begin", "list a", "end", "add a", "modify a", "delete a".
class NameWatcher final : public WatchSink {
 public:
  void OnListBegin(const Resource& resource) override;
  Result<void> OnListed(const WatchedObject& object) override;
  void OnListEnd(const Resource& resource) override;
  Result<void> OnEvent(WatchEventType type, const WatchedObject& object) override;

  std::vector<std::string> log;                                // of pods
  std::map<std::string_view, std::vector<std::string>> names;  // in alphabetical order
  std::string refuse;                                          // a name that cannot be read

 private:
  struct List {
    bool open = false;
    std::vector<std::string> names;
  };
  Result<void> Say(const std::string& what, const WatchedObject& object, std::string& name);

  std::map<std::string_view, List> lists_;
};

}  // namespace ksched::kube
