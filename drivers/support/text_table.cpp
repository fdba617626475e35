#include "drivers/support/text_table.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace quadrille {

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text,
                value >= 99.95    ? "%.0f"
                : value >= 9.995  ? "%.1f"
                : value >= 0.9995 ? "%.2f"
                                  : "%.3f",
                value);
  return text;
}

std::string short_count(std::int64_t count) {
  if (count < 1000) return std::to_string(count);
  double value = static_cast<double>(count) / 1000;
  const char* unit = "k";
  for (const char* next : {"M", "G"})
    if (value >= 999.5) value /= 1000, unit = next;
  return short_number(value) + unit;
}

std::string pad_left(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string pad_right(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

void print_columns(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? pad_right(row[c], widths[c]) : "  " + pad_left(row[c], widths[c]);
    out << line.erase(line.find_last_not_of(' ') + 1) << "\n";
  }
}

}  // namespace quadrille
