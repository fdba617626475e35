#include "drivers/support/json.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

namespace quadrille {
namespace {

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// `depth` of what stands around it. Lines are broken in the outermost object, and in lists of objects in it.
std::string text_of(const Json& value, int depth) {
  if (!value.is_structured() || value.empty()) return dumped(value);
  const bool lines = depth == 0 || (depth == 1 && value.is_array() && value.front().is_object());
  const std::string space(static_cast<std::size_t>(2 * depth + 2), ' ');
  std::string text;
  for (const auto& [key, member] : value.items()) {
    text += (text.empty() ? "" : ",") + (lines ? "\n" + space : std::string(text.empty() ? "" : " "));
    if (value.is_object()) text += dumped(key) + ": ";
    text += text_of(member, depth + 1);
  }
  if (lines) text += "\n" + space.substr(2);
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace

std::string plain_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Json json_value(double value) {
  return std::isfinite(value) ? Json(value) : Json(plain_number(value));
}

std::string json_text(const Json& object) {
  return text_of(object, 0) + "\n";
}

}  // namespace quadrille
