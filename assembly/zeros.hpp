// Large vectors of zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quadrille {

// The first write to each page of new memory takes the system far longer than the write: all threads share
// them.
inline std::vector<double> zeros(std::int64_t size) {
  constexpr std::int64_t page = 4096;
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(size));
  auto* const memory = reinterpret_cast<volatile char*>(result.data());
  const std::int64_t bytes = size * static_cast<std::int64_t>(sizeof(double));
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < bytes; at += page) memory[at] = 0;
  result.resize(static_cast<std::size_t>(size));
  return result;
}

}  // namespace quadrille
