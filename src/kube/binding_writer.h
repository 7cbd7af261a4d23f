// BindingWriter: binds a pod, and goes on until it is known what came of it. A scheduler that took a binding whose
// answer was lost for one that failed would give the node's room to other pods, while the pod is there.
// Reference: none; kube-scheduler takes such a binding for failed until the watch says otherwise.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kube/backoff.h"
#include "kube/pod_writer.h"

namespace ksched::kube {

struct BindingWriterOptions {
  SenderOptions sender;
  BackoffOptions backoff{std::chrono::milliseconds(100), std::chrono::milliseconds(5'000)};
  std::chrono::milliseconds timeout{30'000};  // of each question
  uint64_t seed = 0;
};

class BindingWriter {
 public:
  // client and writer are borrowed.
  BindingWriter(HttpClient& client, PodWriter& writer, BindingWriterOptions options);
  ~BindingWriter();  // what runs is dropped, and nobody hears of it
  BindingWriter(const BindingWriter&) = delete;
  BindingWriter& operator=(const BindingWriter&) = delete;

  // `done` is called within Poll. nullptr: the pod is bound to this node. An error: it is not, and will not be by this
  // call; unless the error is that it may neither be asked (kForbidden) nor tried again (kNotSent).
  void Bind(const PodName& pod, std::string_view node, PodWriter::Done done);

 private:
  struct Binding {
    PodName pod;
    std::string node;
    PodWriter::Done done;
    Backoff backoff;
    ApiError last;      // of the last try to bind
    bool open = false;  // a try may have been done, or may yet be
  };
  using BindingPtr = std::shared_ptr<Binding>;

  void Try(const BindingPtr& binding);
  void Tried(const BindingPtr& binding, const ApiError* error);
  void Ask(const BindingPtr& binding);
  void Answered(const BindingPtr& binding, const ApiError* error, std::string_view body);
  void Later(const BindingPtr& binding, void (BindingWriter::*what)(const BindingPtr&));

  HttpClient& client_;
  PodWriter& writer_;
  const BindingWriterOptions options_;
  RequestSender sender_;
  Rng rng_;
  std::set<Timers::Id> pauses_;
};

}  // namespace ksched::kube
