// Emitter: a structured document, written as it is told: JSON and YAML are two of them.
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

namespace ksched {

// Calls have to nest properly: Begin and End in pairs, and in an object each value after its Key.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual void BeginObject() = 0;
  virtual void EndObject() = 0;
  virtual void BeginArray() = 0;
  virtual void EndArray() = 0;
  virtual void Key(std::string_view key) = 0;
  virtual void String(std::string_view text) = 0;
  virtual void Int(int64_t number) = 0;
  virtual void Bool(bool value) = 0;
  virtual void Double(double number) = 0;  // finite
};

// What Go's encoding/json writes with SetIndent("", "  ") and SetEscapeHTML(false).
class JsonEmitter final : public Emitter {
 public:
  explicit JsonEmitter(std::ostream& out) : out_(out) {}
  void BeginObject() override { Begin('{'); }
  void EndObject() override { End('}'); }
  void BeginArray() override { Begin('['); }
  void EndArray() override { End(']'); }
  void Key(std::string_view key) override;
  void String(std::string_view text) override;
  void Int(int64_t number) override;
  void Bool(bool value) override;
  void Double(double number) override;

 private:
  void Begin(char bracket);
  void End(char bracket);
  void BeforeElement();  // the comma and the line break before a key, or before a value of a list
  void BeforeValue();

  std::ostream& out_;
  std::vector<bool> empty_;  // of each open bracket
  bool after_key_ = false;
};

// Block style; strings are plain where every reader of YAML 1.1 and 1.2 takes them as that string, else double-quoted.
class YamlEmitter final : public Emitter {
 public:
  explicit YamlEmitter(std::ostream& out) : out_(out) {}
  void BeginObject() override { Begin("{}"); }
  void EndObject() override { End(); }
  void BeginArray() override { Begin("[]"); }
  void EndArray() override { End(); }
  void Key(std::string_view key) override;
  void String(std::string_view text) override;
  void Int(int64_t number) override;
  void Bool(bool value) override;
  void Double(double number) override;

 private:
  enum class Place { kStart, kAfterKey, kAfterDash };
  struct Level {
    const char* if_empty;
    bool is_list = false, empty = true;
    int indent = 0;
    Place place = Place::kStart;  // where the bracket stands
  };
  void Begin(const char* if_empty);
  void End();
  void BeforeElement();  // the first of a bracket decides how the bracket starts
  void Scalar(std::string_view text);

  std::ostream& out_;
  std::vector<Level> levels_;
  Place place_ = Place::kStart;
};

// The text between double quotes, as Go's encoding/json writes it: also invalid UTF-8 becomes a valid string.
void WriteJsonString(std::ostream& out, std::string_view text);

}  // namespace ksched
