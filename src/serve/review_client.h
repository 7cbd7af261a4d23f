// Asks the API server for reviews, in a thread of its own: one that hangs keeps nobody else waiting.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube/http_client.h"

namespace ksched::serve {

class ReviewClient {
 public:
  // nullptr: it succeeded, and body is the answer. Called in the client's thread.
  using Done = std::function<void(const kube::ApiError* error, std::string_view body)>;

  static Result<std::unique_ptr<ReviewClient>> Create(kube::ClientConfig config,
                                                      const kube::HttpClientOptions& options);
  ~ReviewClient();  // whoever still waits hears nothing

  // From any thread.
  void Get(std::string target, Done done);
  void Post(std::string target, std::string body, Done done);

 private:
  struct Job {
    kube::HttpRequest request;
    Done done;
  };
  explicit ReviewClient(std::unique_ptr<kube::HttpClient> client);
  void Add(kube::HttpRequest request, Done done);
  void Run();

  std::unique_ptr<kube::HttpClient> client_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ksched::serve
