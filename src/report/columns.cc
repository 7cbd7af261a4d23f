#include "report/columns.h"

#include <algorithm>

namespace ksched {
namespace {

// Code points, which is what fills columns of a terminal here: names and messages have no wide characters.
size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string Coloured(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::kNone || text.empty()) return std::string(text);
  const char* code = colour == Colour::kGreen ? "\x1b[32m" : colour == Colour::kYellow ? "\x1b[33m" : "\x1b[31m";
  return code + std::string(text) + "\x1b[0m";
}

Columns::Columns(std::vector<std::string> header, std::vector<bool> right) : right_(std::move(right)) {
  right_.resize(header.size(), false);
  std::vector<Cell> row;
  row.reserve(header.size());
  for (std::string& text : header) row.push_back({std::move(text)});
  rows_.push_back(std::move(row));
}

void Columns::Add(std::vector<Cell> row) {
  row.resize(right_.size());
  rows_.push_back(std::move(row));
}

void Columns::Write(std::ostream& out, bool colour, std::string_view indent) const {
  std::vector<size_t> widths(right_.size(), 0);  // 0: nothing but a header
  for (size_t column = 0; column < right_.size(); ++column) {
    for (size_t row = 1; row < rows_.size(); ++row) {
      widths[column] = std::max(widths[column], Width(rows_[row][column].text));
    }
    if (widths[column] > 0) widths[column] = std::max(widths[column], Width(rows_[0][column].text));
  }
  for (const std::vector<Cell>& row : rows_) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      if (widths[column] == 0) continue;
      const std::string padding(widths[column] - Width(row[column].text), ' ');
      const std::string text = Coloured(row[column].text, row[column].colour, colour);
      line += (line.empty() ? "" : "   ") + (right_[column] ? padding + text : text + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << indent << line << '\n';
  }
}

}  // namespace ksched
