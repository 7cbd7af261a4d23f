// Writes the body of a request, member by member. Text that is no UTF-8 gets U+FFFD where it is not, as in Go.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "api/json_output.h"
#include "api/json_values.h"

namespace ksched::kube {

class JsonBody {
 public:
  JsonBody() : json_(text_, kOptions) { json_.StartObject(); }
  JsonBody(const JsonBody&) = delete;
  JsonBody& operator=(const JsonBody&) = delete;

  void Text(std::string_view name, std::string_view value) {
    json_.Key(name);
    json_.Write(std::string(value));
  }
  void TextUnlessEmpty(std::string_view name, std::string_view value) {
    if (!value.empty()) Text(name, value);
  }
  void Number(std::string_view name, int64_t value) {
    json_.Key(name);
    json_.Write(value);
  }
  void Null(std::string_view name) {
    json_.Key(name);
    json_.Null();
  }
  void Open(std::string_view name) {
    json_.Key(name);
    json_.StartObject();
  }
  void OpenList(std::string_view name) {
    json_.Key(name);
    json_.StartArray();
  }
  void OpenItem() { json_.StartObject(); }
  void Close() { json_.EndObject(); }
  void CloseList() { json_.EndArray(); }

  // All of it, closed. The last call.
  std::string Take() {
    json_.EndObject();
    return std::move(text_);
  }

 private:
  static constexpr api::JsonOptions kOptions{};

  std::string text_;
  api::JsonOutput json_;
};

// metav1.Time: whole seconds. metav1.MicroTime: always six digits, which its reader insists on.
inline std::string FormatSeconds(api::TimeNs time) {
  constexpr api::TimeNs kSecond = 1'000'000'000;
  const api::TimeNs past = (time % kSecond + kSecond) % kSecond;
  return api::FormatTime(time - past);
}
inline std::string FormatMicros(api::TimeNs time) {
  constexpr api::TimeNs kSecond = 1'000'000'000;
  std::string text = FormatSeconds(time);
  text.pop_back();
  return text + fmt::format(".{:06}Z", (time % kSecond + kSecond) % kSecond / 1000);
}

// Of a namespaced object.
inline void WriteMetadata(JsonBody& body, std::string_view ns, std::string_view name, std::string_view uid = {}) {
  body.Open("metadata");
  body.Text("name", name);
  body.Text("namespace", ns);
  body.TextUnlessEmpty("uid", uid);
  body.Close();
}

// A reference to an object, as events and volumes have it: kube's or api's ObjectReference.
template <typename Reference>
void WriteReference(JsonBody& body, std::string_view member, const Reference& object) {
  body.Open(member);
  body.TextUnlessEmpty("kind", object.kind);
  body.TextUnlessEmpty("namespace", object.ns);
  body.TextUnlessEmpty("name", object.name);
  body.TextUnlessEmpty("uid", object.uid);
  body.TextUnlessEmpty("apiVersion", object.api_version);
  body.TextUnlessEmpty("resourceVersion", object.resource_version);
  body.Close();
}

}  // namespace ksched::kube
