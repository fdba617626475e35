// The CPU that this runs on.
#pragma once

#include <cstdint>
#include <string>

namespace quadrille::cpu {

// "AMD EPYC 7543 32-Core Processor", or "unknown".
std::string name();

// The size of the last cache, all instances together, from sysfs; 0 when it does not say.
std::int64_t last_cache_bytes();

}  // namespace quadrille::cpu
