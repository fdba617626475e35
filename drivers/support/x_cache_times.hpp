// Milliseconds of one product by each way to read x.
#pragma once

#include <map>
#include <string>

#include "drivers/support/json.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

inline constexpr CachePath cache_paths[] = {CachePath::read_only, CachePath::l1, CachePath::l2};
using XCacheTimes = std::map<CachePath, double>;

// {"read_only": ms, "l1": ms, "l2": ms}; null for none.
Json to_json(const XCacheTimes& times);

}  // namespace quadrille
