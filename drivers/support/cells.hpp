// The values of a record as JSON and as CSV have them; nullptr is "no value".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/support/json.hpp"

namespace quadrille {

struct JsonCell {
  std::string operator()(std::nullptr_t) const { return "null"; }
  std::string operator()(const std::string& text) const { return json_string(text); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return json_number(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
};

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
