// Tables of text for the screen.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace quadrille {

// Three significant digits, or the whole number: 0.012, 1.23, 12.3, 123, 12345.
std::string short_number(double value);

// 999, 12.3k, 123k, 1.23M, 4.56G.
std::string short_count(std::int64_t count);

// `text` with blanks in front, or behind, up to `width`.
std::string pad_left(const std::string& text, std::size_t width);
std::string pad_right(const std::string& text, std::size_t width);

// Rows of cells with two blanks between; the first column to the left, the others to the right. Rows may be
// short.
void print_columns(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

}  // namespace quadrille
