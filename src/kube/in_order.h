// Work that takes its time, by keys: of one key one after the other, of different keys at once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace ksched::kube {

class InOrder {
 public:
  using Ended = std::function<void()>;
  // Calls `ended` once when it is over, maybe at once.
  using Work = std::function<void(Ended ended)>;

  // Begins when all of this key that came before has ended.
  void Add(const std::string& key, Work work) {
    std::deque<Work>& queue = queues_[key];
    queue.push_back(std::move(work));
    if (queue.size() == 1) Begin(key);
  }
  bool empty() const { return queues_.empty(); }

 private:
  // The work in front runs. It stays there until it has ended.
  void Begin(const std::string& key) {
    const Work work = queues_[key].front();
    work([this, key] { End(key); });
  }
  void End(const std::string& key) {
    const auto found = queues_.find(key);
    found->second.pop_front();
    if (!found->second.empty()) return Begin(key);
    queues_.erase(found);
  }

  std::map<std::string, std::deque<Work>> queues_;
};

}  // namespace ksched::kube
