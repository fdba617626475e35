#include "kernels/cpu/stream.hpp"

#include <algorithm>
#include <chrono>

#include "formats/array.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t lanes = 32;    // independent sums: enough to hide the latency of the additions
constexpr std::int64_t block = 2048;  // doubles written at a time

// Adds n doubles, a multiple of `lanes`, to as many sums.
void add_up(const double* in, std::int64_t n, double* __restrict sum) {
  for (std::int64_t k = 0; k < n; k += lanes)
#pragma omp simd
    for (std::int64_t j = 0; j < lanes; ++j) sum[j] += in[k + j];
}

}  // namespace

double stream_gbps(std::int64_t read_bytes, std::int64_t written_bytes, int repetitions) {
  const std::int64_t writes = std::max<std::int64_t>(1, written_bytes / 8 / block) * block;
  const std::int64_t reads = std::max<std::int64_t>(lanes, read_bytes / (writes / block) / 8 / lanes * lanes);
  Array<double> in(writes / block * reads, 1.0), out(writes, 0.0);
  double best = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static)
    for (std::int64_t w = 0; w < writes; w += block) {
      double sum[lanes] = {};
      add_up(in.data() + w / block * reads, reads, sum);
      for (std::int64_t k = 0; k < block; k += lanes) std::copy(sum, sum + lanes, out.data() + w + k);
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(in.bytes() + out.bytes()) / best * 1e-9;
}

}  // namespace quadrille::cpu
