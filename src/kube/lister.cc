#include "kube/lister.h"

#include <memory>
#include <utility>

#include "kube/list_task.h"

namespace ksched::kube {
namespace {

constexpr size_t kItemsPerReport = 1000;

// Whether no other list can do better.
bool ConcernsAll(ErrorKind kind) {
  return kind == ErrorKind::kUnreachable || kind == ErrorKind::kTls || kind == ErrorKind::kCredentials ||
         kind == ErrorKind::kUnauthorized;
}

class Listing {
 public:
  Listing(HttpClient& client, std::span<const ListRequest> requests, const ListOptions& options, ListSink& sink,
          const std::function<void(const ListProgress&)>& report)
      : client_(client), options_(options), report_(report) {
    hooks_.page_done = [this] {
      ++progress_.pages;
      Report();
    };
    hooks_.items = [this](ptrdiff_t change) {
      progress_.items = static_cast<size_t>(static_cast<ptrdiff_t>(progress_.items) + change);
      if (progress_.items % kItemsPerReport == 0) Report();
    };
    hooks_.ended = [this](const ListTask& task) { Ended(task); };
    progress_.lists = requests.size();
    for (const ListRequest& request : requests) {
      tasks_.push_back(std::make_unique<ListTask>(client, request, options_, sink, hooks_));
    }
  }

  std::vector<ListResult> Run() && {
    for (const auto& task : tasks_) task->Begin();
    const bool whole = client_.PollUntil([this] {
      Report();  // also while nothing comes
      if (failure_) AbortOthers();
      return progress_.lists_done == tasks_.size();
    });
    if (!whole) {
      failure_ = InterruptedError();
      AbortOthers();
    }
    std::vector<ListResult> results;
    results.reserve(tasks_.size());
    for (const auto& task : tasks_) results.push_back(std::move(*task).Take());
    return results;
  }

 private:
  void Report() const {
    if (report_) report_(progress_);
  }

  void Ended(const ListTask& task) {
    ++progress_.lists_done;
    const std::optional<ApiError>& error = task.result().error;
    if (error && ConcernsAll(error->kind) && !failure_) failure_ = error;
    Report();
  }

  void AbortOthers() {
    for (const auto& task : tasks_) task->Abort(*failure_);
  }

  HttpClient& client_;
  const ListOptions options_;
  const std::function<void(const ListProgress&)>& report_;
  ListTask::Hooks hooks_;
  std::vector<std::unique_ptr<ListTask>> tasks_;
  ListProgress progress_;
  std::optional<ApiError> failure_;
};

}  // namespace

std::vector<ListResult> ListAll(HttpClient& client, std::span<const ListRequest> requests, const ListOptions& options,
                                ListSink& sink, const std::function<void(const ListProgress&)>& progress) {
  return Listing(client, requests, options, sink, progress).Run();
}

}  // namespace ksched::kube
