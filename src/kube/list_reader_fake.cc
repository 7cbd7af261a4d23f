// For tests: the list readers, plainly, until those of api are there.
#include <rapidjson/document.h>

#include <optional>
#include <utility>

#include "api/list_reader.h"

namespace ksched::api {
namespace {

// Protobuf, item by item as the bytes come.
class FakeProtobufReader final : public ListReader {
 public:
  explicit FakeProtobufReader(std::function<Result<void>(std::string_view)> take) : take_(std::move(take)) {}

  Result<void> Feed(std::string_view chunk) override {
    buffer_.append(chunk);
    while (true) {
      Result<bool> more = Step();
      if (!more) return std::move(more).error();
      if (!*more) return {};
    }
  }

  Result<ListMeta> Finish() override {
    if (!in_list_ || taken_ != list_size_) return Error{"the list is cut off"};
    return meta_;
  }

 private:
  std::optional<uint64_t> Varint(size_t& at) const {
    uint64_t value = 0;
    for (unsigned shift = 0; at < buffer_.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(buffer_[at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  Result<bool> Step() {
    if (!magic_) {
      if (buffer_.size() < 4) return false;
      if (buffer_.compare(0, 4, std::string("k8s\0", 4)) != 0) return Error{"this is no protobuf"};
      buffer_.erase(0, 4);
      magic_ = true;
    }
    if (in_list_ && taken_ == list_size_) return false;
    size_t at = 0;
    const auto tag = Varint(at), size = Varint(at);
    if (!tag || !size) return false;
    if (!in_list_ && *tag == (2 << 3 | 2)) {
      in_list_ = true;
      list_size_ = *size;
      buffer_.erase(0, at);
      return true;
    }
    if (buffer_.size() < at + *size) return false;
    const std::string field = buffer_.substr(at, *size);
    buffer_.erase(0, at + *size);
    if (!in_list_) return true;
    taken_ += at + *size;
    if (*tag == (1 << 3 | 2)) TakeMeta(field);
    if (*tag == (2 << 3 | 2)) {
      if (Result<void> taken = take_(field); !taken) return std::move(taken).error();
    }
    return true;
  }

  void TakeMeta(const std::string& field) {
    for (size_t at = 0; at + 1 < field.size();) {
      const auto length = static_cast<size_t>(field[at + 1]);
      if (field[at] == (2 << 3 | 2)) meta_.resource_version = field.substr(at + 2, length);
      if (field[at] == (3 << 3 | 2)) meta_.continue_token = field.substr(at + 2, length);
      at += 2 + length;
    }
  }

  std::function<Result<void>(std::string_view)> take_;
  std::string buffer_;
  bool magic_ = false, in_list_ = false;
  uint64_t list_size_ = 0, taken_ = 0;
  ListMeta meta_;
};

class FakeDocument final : public Document {
 public:
  FakeDocument(const rapidjson::Value& root, const std::string& file) : root_(root), file_(file) {}
  const rapidjson::Value& root() const override { return root_; }
  const std::string& file() const override { return file_; }
  Position Locate(const FieldPath&) const override { return {}; }

 private:
  const rapidjson::Value& root_;
  const std::string& file_;
};

class FakeJsonReader final : public ListReader {
 public:
  FakeJsonReader(std::function<Result<void>(const Document&)> take, std::string name)
      : take_(std::move(take)), name_(std::move(name)) {}
  Result<void> Feed(std::string_view chunk) override {
    text_.append(chunk);
    return {};
  }
  Result<ListMeta> Finish() override {
    rapidjson::Document json;
    json.Parse(text_.data(), text_.size());
    if (json.HasParseError() || !json.IsObject() || !json.HasMember("items")) return Error{"this is no list"};
    for (const auto& item : json["items"].GetArray()) {
      if (Result<void> taken = take_(FakeDocument(item, name_)); !taken) return std::move(taken).error();
    }
    return ListMeta{json["metadata"]["resourceVersion"].GetString(), json["metadata"]["continue"].GetString()};
  }

 private:
  std::function<Result<void>(const Document&)> take_;
  std::string name_, text_;
};

}  // namespace

std::unique_ptr<ListReader> MakeProtobufListReader(std::function<Result<void>(std::string_view item)> take) {
  return std::make_unique<FakeProtobufReader>(std::move(take));
}

std::unique_ptr<ListReader> MakeJsonListReader(std::function<Result<void>(const Document&)> take, std::string name) {
  return std::make_unique<FakeJsonReader>(std::move(take), std::move(name));
}

}  // namespace ksched::api
