#include "kernels/cpu/stream.hpp"

#include <algorithm>
#include <chrono>

#include "formats/array.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t lanes = 8;    // independent sums of each stream, to hide the latency of the additions
constexpr std::int64_t streams = 4;  // read side by side: more requests in flight than one gives

// Adds `streams` consecutive runs of n doubles each, n a multiple of `lanes`, to as many sums.
void add_up(const double* in, std::int64_t n, double (&sum)[streams][lanes]) {
  for (std::int64_t k = 0; k < n; k += lanes)
#pragma GCC unroll 4
    for (std::int64_t s = 0; s < streams; ++s)
#pragma omp simd
      for (std::int64_t j = 0; j < lanes; ++j) sum[s][j] += in[s * n + k + j];
}

}  // namespace

double stream_gbps(std::int64_t read_bytes, std::int64_t written_bytes, int threads, int repetitions) {
  // Doubles written at a time: as many as give every thread some blocks.
  constexpr std::int64_t unit = streams * lanes;
  const std::int64_t block =
      std::clamp<std::int64_t>(written_bytes / 8 / (4 * threads) / unit * unit, unit, 64 * unit);
  const std::int64_t writes = std::max<std::int64_t>(threads, written_bytes / 8 / block) * block;
  const std::int64_t run =
      std::max<std::int64_t>(lanes, read_bytes / (writes / block) / 8 / streams / lanes * lanes);
  const std::int64_t reads = run * streams;  // for each block of writes
  Array<double> in(writes / block * reads, 1.0), out(writes, 0.0);
  double best = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t w = 0; w < writes; w += block) {
      double sum[streams][lanes] = {};
      add_up(in.data() + w / block * reads, run, sum);
      for (std::int64_t k = 0; k < block; k += streams * lanes)
        std::copy(&sum[0][0], &sum[0][0] + streams * lanes, out.data() + w + k);
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return static_cast<double>(in.bytes() + out.bytes()) / best * 1e-9;
}

}  // namespace quadrille::cpu
