// JSON, by nlohmann's library: members stay in the order in which they come.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace quadrille {

using Json = nlohmann::ordered_json;

// The shortest text that reads back as the same double, always recognisable as a floating-point number;
// "nan", "inf" and "-inf" for the others.
std::string plain_number(double value);

// Of numbers that are not finite, which JSON has none of, those words.
Json json_value(double value);

// A file: the members of the object, and the objects of its lists, each on a line of its own. Bytes that are
// not UTF-8 become U+FFFD.
std::string json_text(const Json& object);

}  // namespace quadrille
