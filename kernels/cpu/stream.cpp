#include "kernels/cpu/stream.hpp"

#include <algorithm>
#include <chrono>

#include "formats/array.hpp"

namespace quadrille::cpu {

double stream_gbps(std::int64_t read_bytes, std::int64_t written_bytes, int repetitions) {
  constexpr std::int64_t width = 8;  // doubles summed into one
  const std::int64_t n = std::max<std::int64_t>(width, read_bytes / 8 / width * width);
  const std::int64_t writes = std::clamp<std::int64_t>(written_bytes / 8, 1, n);
  const std::int64_t group = std::max<std::int64_t>(1, n / writes);  // reads for each write
  Array<double> in(n, 1.0), out(writes, 0.0);
  double best = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static)
    for (std::int64_t w = 0; w < writes; ++w) {
      double sum[width] = {};
      const double* const p = in.data() + w * group;
      std::int64_t k = 0;
      for (; k + width <= group; k += width)
#pragma omp simd
        for (int j = 0; j < width; ++j) sum[j] += p[k + j];
      for (; k < group; ++k) sum[0] += p[k];
      for (int j = 1; j < width; ++j) sum[0] += sum[j];
      out[w] = sum[0];
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>((writes * group + writes) * 8) / best * 1e-9;
}

}  // namespace quadrille::cpu
