#include "api/message_document.h"

#include "api/json_output.h"
#include "api/message_reader.h"

namespace ksched::api {
namespace {

constexpr int kMetadata = 1, kName = 1, kGenerateName = 2, kNamespace = 3;

void AddText(rapidjson::Value& object, const char* name, std::string_view text, rapidjson::Document& document) {
  auto& allocator = document.GetAllocator();
  const std::string good = ValidUtf8(text);
  rapidjson::Value value(good.data(), static_cast<rapidjson::SizeType>(good.size()), allocator);
  object.AddMember(rapidjson::StringRef(name), value, allocator);
}

}  // namespace

const rapidjson::Value& MessageDocument::root() const {
  if (root_) return *root_;
  rapidjson::Document& document = root_.emplace();
  document.SetObject();
  AddText(document, "kind", kind_, document);
  rapidjson::Value metadata(rapidjson::kObjectType);
  MessageReader in(bytes_);
  while (in.Next()) {  // the message may be broken anywhere
    std::string_view bytes, text;
    if (in.number() != kMetadata || !in.ReadBytes(bytes)) continue;
    MessageReader fields(bytes);
    while (fields.Next() && fields.number() <= kNamespace) {
      const int number = fields.number();
      if (!fields.ReadBytes(text)) break;
      if (number == kName) AddText(metadata, "name", text, document);
      if (number == kGenerateName) AddText(metadata, "generateName", text, document);
      if (number == kNamespace) AddText(metadata, "namespace", text, document);
    }
    break;
  }
  document.AddMember("metadata", metadata, document.GetAllocator());
  return document;
}

}  // namespace ksched::api
