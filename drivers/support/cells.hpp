// The values of a record as JSON and as CSV have them; nullptr is "no value".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/json.hpp"

namespace quadrille {

struct JsonCell {
  Json operator()(std::nullptr_t) const { return nullptr; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(std::int64_t value) const { return value; }
  Json operator()(double value) const { return json_value(value); }
  Json operator()(bool value) const { return value; }
};

// Names and values as `Write` puts them.
template <class Write>
using Cells = std::vector<std::pair<const char*, decltype(Write{}(nullptr))>>;

// RFC 4180.
struct CsvCell {
  std::string operator()(std::nullptr_t) const { return ""; }
  std::string operator()(const std::string& text) const {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"') out += c;
      out += c;
    }
    return out + "\"";
  }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return plain_number(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
};

// The cells of one line, with the line's end.
inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (&cell == &cells.front() ? "" : ",") + cell;
  return line + "\n";
}

}  // namespace quadrille
