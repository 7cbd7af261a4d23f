#include "controllers/template_hash.h"

#include <type_traits>

#include "api/fields_workload.h"

namespace ksched::controllers {
namespace {

// Writes values so that no two different ones come out the same: numbers end with ';', texts are preceded by their
// length, lists and maps by their size.
class Writer {
 public:
  std::string Take() && { return std::move(text_); }

  void Write(const std::string& value) { text_ += std::to_string(value.size()) + ':' + value; }
  void Write(bool value) { Number(value ? 1 : 0); }
  void Write(int32_t value) { Number(value); }
  void Write(int64_t value) { Number(value); }
  void Write(const api::Quantity& value) {
    Number(static_cast<int64_t>(value.nano() >> 64));
    Number(static_cast<int64_t>(value.nano()));
  }
  void Write(const api::IntOrString& value) {
    Write(value.is_text);
    Write(value.number);
    Write(value.text);
  }
  template <typename T>
  void Write(const std::optional<T>& value) {
    Write(value.has_value());
    if (value) Write(*value);
  }
  template <typename T>
  void Write(const std::vector<T>& values) {
    Number(static_cast<int64_t>(values.size()));
    for (const T& value : values) Write(value);
  }
  template <typename V>
  void Write(const boost::container::flat_map<std::string, V>& values) {
    Number(static_cast<int64_t>(values.size()));
    for (const auto& [key, value] : values) {
      Write(key);
      Write(value);
    }
  }
  template <typename T>
    requires requires { api::Fields<T>::kTable; }
  void Write(const T& message) {
    WriteFields<T>(message);
  }

 private:
  void Number(int64_t value) { text_ += std::to_string(value) + ';'; }

  template <typename Table, typename T>
  void WriteFields(const T& message) {
    std::apply([&](const auto&... field) { (WriteField(message, field.access), ...); }, api::Fields<Table>::kTable);
  }
  template <typename T, api::Storage kStorage, typename Owner, typename M>
  void WriteField(const T& message, const api::MemberAccess<kStorage, Owner, M>& access) {
    Write(message.*access.member);
  }
  template <typename T, typename Owner, typename M>
  void WriteField(const T& message, const api::PresentAccess<Owner, M>& access) {
    Write(message.*access.present);
    Write(message.*access.member);
  }
  template <typename T, typename P, typename Presence>
  void WriteField(const T& message, const api::PartAccess<P, Presence>& access) {
    if constexpr (!std::is_void_v<Presence>) Write(message.*access.present);
    WriteFields<P>(message);
  }

  std::string text_;
};

}  // namespace

std::string TemplateText(const api::PodTemplateSpec& pod_template) {
  Writer writer;
  writer.Write(pod_template);
  return std::move(writer).Take();
}

std::string HashOfTemplate(std::string_view text, uint32_t collisions) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint32_t hash = 2166136261U;
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 16777619U; };
  for (const char c : text) add(static_cast<unsigned char>(c));
  for (uint32_t left = collisions; left > 0; left >>= 8) add(static_cast<unsigned char>(left));
  std::string encoded = std::to_string(hash);
  for (char& c : encoded) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return encoded;
}

}  // namespace ksched::controllers
