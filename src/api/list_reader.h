// Takes a list apart while it arrives: each item is given on as soon as it is complete, and the list is never held.
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

class ListReader {
 public:
  virtual ~ListReader() = default;
  // The next bytes of the body, cut anywhere. Fails for what is no list, and when the receiver of an item fails.
  virtual Result<void> Feed(std::string_view chunk) = 0;
  // After the last byte. Fails if the list is not complete.
  virtual Result<ListMeta> Finish() = 0;
};

std::unique_ptr<ListReader> MakeProtobufListReader(std::function<Result<void>(std::string_view item)> take);
std::unique_ptr<ListReader> MakeJsonListReader(std::function<Result<void>(const Document&)> take, std::string name);

}  // namespace ksched::api
