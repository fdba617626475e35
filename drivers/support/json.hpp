// The pieces of a JSON text.
#pragma once

#include <string>

namespace quadrille {

// The shortest text that reads back as the same double, always recognisable as a floating-point number;
// "nan", "inf" and
// "-inf" for the others.
std::string plain_number(double value);

// With quotes around it. Control characters, quotes and backslashes are escaped, bytes that are not UTF-8
// become U+FFFD.
std::string json_string(const std::string& text);

// Non-finite numbers become strings: JSON has none.
std::string json_number(double value);

}  // namespace quadrille
