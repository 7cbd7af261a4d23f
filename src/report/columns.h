// Columns: text in columns as wide as their longest cell, like kubectl's.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ksched {

enum class Colour { kNone, kGreen, kYellow, kRed };

// With `on`, between the terminal's codes for the colour.
std::string Coloured(std::string_view text, Colour colour, bool on);

struct Cell {
  std::string text;
  Colour colour = Colour::kNone;
};

class Columns {
 public:
  // `right`: which columns are numbers; those that are not given are texts.
  explicit Columns(std::vector<std::string> header, std::vector<bool> right = {});
  void Add(std::vector<Cell> row);
  // Every line starts with `indent`. A column without any text is left out; the last one is not padded.
  void Write(std::ostream& out, bool colour, std::string_view indent = "") const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<Cell>> rows_;  // the first is the header
};

}  // namespace ksched
