// Lists in JSON.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "api/input_limits.h"
#include "api/item_document.h"
#include "api/json_parser.h"
#include "api/json_window.h"
#include "api/list_reader.h"

namespace ksched::api {
namespace {

std::string MessageOf(const JsonOutcome& outcome) {
  switch (outcome.kind) {
    case JsonOutcome::Kind::kIncomplete:
      return "the list is cut short";
    case JsonOutcome::Kind::kDuplicate:
      return "malformed JSON: the key \"" + outcome.message + "\" comes twice in an object";
    default:
      return fmt::format("malformed JSON at byte {}: {}", outcome.end, outcome.message);
  }
}

class JsonListReader : public ListReader {
 public:
  JsonListReader(std::function<Result<void>(const Document&)> visit, std::string name)
      : visit_(std::move(visit)), name_(std::move(name)) {}

  Result<void> Feed(std::string_view chunk) override {
    if (chunk.size() > kMaxObjectBytes - page_.size()) {
      return Error{fmt::format("a page of the list is larger than {} MiB", kMaxObjectBytes >> 20)};
    }
    page_.append(chunk);
    return {};
  }

  Result<ListMeta> Finish() override {
    bool valid = true;
    if (page_.find_first_not_of(" \t\r\n") == std::string::npos) return Error{"the answer is empty"};
    if (Utf8Prefix(page_, /*more=*/false, valid) != page_.size()) return Error{"malformed JSON: it is no UTF-8"};
    JsonParser parser;
    const JsonOutcome outcome = parser.Parse(page_.data(), page_.size(), /*last=*/true);
    if (outcome.kind != JsonOutcome::Kind::kValue) return Error{MessageOf(outcome)};
    if (page_.find_first_not_of(" \t\r\n", outcome.end) != std::string::npos) {
      return Error{"the answer goes on after the list"};
    }
    return ReadList(parser);
  }

 private:
  Result<ListMeta> ReadList(JsonParser& parser) {
    Json& root = parser.root();
    if (!root.IsObject()) return Error{"expected a list, found " + DescribeType(root)};
    const std::string_view kind = StringMember(root, "kind");
    if (kind == "Status") {
      const std::string_view message = StringMember(root, "message");
      return Error{message.empty() ? "the server answered with a Status without a message" : std::string(message)};
    }
    if (!kind.ends_with("List")) return Error{"expected a list, found a " + std::string(kind)};
    const auto items = root.FindMember("items");
    if (items != root.MemberEnd() && !items->value.IsNull()) {
      if (!items->value.IsArray()) return Error{"items: expected an array, found " + DescribeType(items->value)};
      const std::string item_kind(kind.substr(0, kind.size() - std::string_view("List").size()));
      Result<void> done = ReadItems(items->value, StringMember(root, "apiVersion"), item_kind, parser.pool());
      if (!done) return std::move(done).error();
    }
    const auto metadata = root.FindMember("metadata");
    if (metadata == root.MemberEnd()) return ListMeta();
    return ListMeta{std::string(StringMember(metadata->value, "resourceVersion")),
                    std::string(StringMember(metadata->value, "continue"))};
  }

  Result<void> ReadItems(Json& items, std::string_view api_version, const std::string& kind, JsonPool& pool) {
    for (rapidjson::SizeType i = 0; i < items.Size(); ++i) {
      Json& item = items[i];
      if (!item.IsObject()) return Error{fmt::format("items[{}]: expected an object, found {}", i, DescribeType(item))};
      AddText(item, "apiVersion", api_version, pool);
      AddText(item, "kind", kind, pool);
      Result<void> done = visit_(ItemDocument(item, name_));
      if (!done) return done;
    }
    return {};
  }

  // Only if the item does not say it itself. The text lives as long as the pool's page: it is copied.
  static void AddText(Json& item, const char* name, std::string_view text, JsonPool& pool) {
    if (text.empty() || item.HasMember(name)) return;
    item.AddMember(rapidjson::StringRef(name), Json(text.data(), static_cast<rapidjson::SizeType>(text.size()), pool),
                   pool);
  }

  std::function<Result<void>(const Document&)> visit_;
  std::string name_, page_;
};

}  // namespace

std::unique_ptr<ListReader> MakeJsonListReader(std::function<Result<void>(const Document&)> visit, std::string name) {
  return std::make_unique<JsonListReader>(std::move(visit), std::move(name));
}

}  // namespace ksched::api
