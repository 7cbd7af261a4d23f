// A request that has come, its answer, and who gives it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksched::serve {

struct Request {
  std::string method;
  std::string target;                                        // as it came: path and query
  std::string path, query;                                   // the path is unescaped, the query is not
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, in the order of arrival
  std::string body;
  std::shared_ptr<const std::vector<std::string>> peer_certificates;  // DER, the client's own first; null: none

  // The first value of a header, by its name in lower case; empty if there is none.
  std::string_view Find(std::string_view name) const;
  std::vector<std::string_view> FindAll(std::string_view name) const;
  // The values of a parameter of the query, unescaped ("verbose" and "verbose=" are one that is empty).
  std::vector<std::string> Parameter(std::string_view name) const;
  bool HasParameter(std::string_view name) const { return !Parameter(name).empty(); }
};

struct Response {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// As Go's http.Error has it: a line of text.
Response TextError(unsigned status, std::string text);
Response Text(std::string text);

// Gives the answer. From any thread, once; to drop it closes the connection.
using Respond = std::function<void(Response)>;

class Handler {
 public:
  virtual ~Handler() = default;
  // Called in the server's thread, which it must not keep: what takes its time answers later.
  virtual void Handle(Request request, Respond respond) = 0;
};

// %41 is A, and with `plus` + is a blank. What is no escape stays.
std::string Unescape(std::string_view text, bool plus);

}  // namespace ksched::serve
