// Takes apart the lists that an API server answers with, item by item, as the bytes come in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/document.h"
#include "base/result.h"

namespace ksched::api {

struct ListMeta {
  std::string resource_version, continue_token;
};

// For one list. After an error there is nothing more to be had from it. A metav1.Status in place of a list is an error
// with its message, and so is anything else that is no list, one that ends early, and what comes after its end.
class ListReader {
 public:
  virtual ~ListReader() = default;
  // The next bytes of the body, in pieces of any size. Fails with the visitor's error if it returns one.
  virtual Result<void> Feed(std::string_view chunk) = 0;
  virtual Result<ListMeta> Finish() = 0;
};

// The body is "k8s\0" and a runtime.Unknown. Each item is given as soon as its bytes are there, as a message; they are
// good during the call only. Memory is that of one item and one piece.
std::unique_ptr<ListReader> MakeProtobufListReader(std::function<Result<void>(std::string_view item)> visit);

// The body is one page of JSON, which is held until Finish() gives its items: each with the apiVersion and kind that
// the list says for all of them. `name` stands for the file in problems.
std::unique_ptr<ListReader> MakeJsonListReader(std::function<Result<void>(const Document&)> visit, std::string name);

}  // namespace ksched::api
