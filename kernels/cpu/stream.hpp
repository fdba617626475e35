// The CPU's memory ceiling, for the same read:write mix as a product.
#pragma once

#include <cstdint>

namespace quadrille::cpu {

// GB/s of a loop that reads `read_bytes` and writes `written_bytes` with unit stride, on so many threads: the
// best of `repetitions` runs.
double stream_gbps(std::int64_t read_bytes, std::int64_t written_bytes, int threads, int repetitions);

}  // namespace quadrille::cpu
