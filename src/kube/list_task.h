// One list of one resource: its pages, versions and restarts, until it ended.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "api/list_reader.h"
#include "kube/http_client.h"
#include "kube/lister.h"

namespace ksched::kube {

class ListTask final : public ResponseHandler {
 public:
  struct Hooks {
    std::function<void()> page_done;
    std::function<void(ptrdiff_t change)> items;  // given (1), or void again
    std::function<void(const ListTask&)> ended;
  };

  // All are borrowed for the life of the task.
  ListTask(HttpClient& client, const ListRequest& request, const ListOptions& options, ListSink& sink,
           const Hooks& hooks);
  void Begin();
  // Ends the list with an error that is not its own. Nothing if it has ended.
  void Abort(const ApiError& error);
  bool ended() const { return ended_; }
  ListResult Take() && { return std::move(result_); }
  const ListResult& result() const { return result_; }

  void OnHead(const ResponseHead& head) override;
  Result<void> OnData(std::string_view chunk) override;
  void OnDone(const ApiError* error) override;

 private:
  std::string_view version() const { return request_.resource->known_versions()[version_]; }
  ListedFrom from() const { return {request_, version()}; }
  std::string Target() const;
  void StartPage(std::chrono::milliseconds delay);
  void EndPage(const api::ListMeta& meta);
  void Failed(const ApiError& error);
  void RetryPage(const ApiError& error);
  void Restart(const ApiError& error);
  void Withdraw();
  bool TryOlderVersion();
  bool IsNew(const std::string& token);
  void End(ListResult::Outcome outcome, const ApiError* error);
  // Whether an item of the page is new: a page that is read again gives the same items first.
  bool Counts();
  Result<void> Given(Result<void> taken);

  HttpClient& client_;
  const ListRequest& request_;
  const ListOptions& options_;
  ListSink& sink_;
  const Hooks& hooks_;
  ListResult result_;
  size_t version_ = 0;  // index
  std::string continue_;
  std::unordered_set<size_t> tokens_;  // hashes of those that the pages have led to
  bool paged_;
  int page_retries_ = 0, restarts_ = 0;
  size_t given_of_page_ = 0, skip_ = 0;
  std::unique_ptr<api::ListReader> reader_;
  std::optional<Error> sink_error_, head_error_, read_error_;
  HttpClient::RequestId running_ = 0;
  bool ended_ = false;
};

}  // namespace ksched::kube
