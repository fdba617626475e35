#include "drivers/support/x_cache_times.hpp"

#include <algorithm>

#include "drivers/support/json.hpp"
#include "drivers/support/options_text.hpp"

namespace quadrille {

std::string to_json(const XCacheTimes& times) {
  std::string text;
  for (const auto& [path, ms] : times) {
    std::string name = cache_path_names()[static_cast<std::size_t>(path)];
    std::replace(name.begin(), name.end(), '-', '_');
    text += (text.empty() ? "" : ", ") + json_string(name) + ": " + json_number(ms);
  }
  return text.empty() ? "null" : "{" + text + "}";
}

}  // namespace quadrille
