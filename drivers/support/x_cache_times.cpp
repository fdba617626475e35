#include "drivers/support/x_cache_times.hpp"

#include <algorithm>

#include "drivers/support/json.hpp"
#include "drivers/support/options_text.hpp"

namespace quadrille {

Json to_json(const XCacheTimes& times) {
  Json json;
  for (const auto& [path, ms] : times) {
    std::string name = cache_path_names()[static_cast<std::size_t>(path)];
    std::replace(name.begin(), name.end(), '-', '_');
    json[name] = json_value(ms);
  }
  return json;
}

}  // namespace quadrille
