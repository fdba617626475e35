#include "kernels/tuning/ellr_t_paper_model.hpp"

#include <algorithm>

#include "formats/ellr_t.hpp"

namespace quadrille {
namespace {

constexpr int warp = 32, half_warp = 16;

// Equation 3 for every warp of the grid: those of the last rows may have no row.
std::vector<std::int64_t> warp_accesses(std::span<const std::int32_t> row_ptr, int threads) {
  const auto rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  std::vector<std::int64_t> accesses(static_cast<std::size_t>((rows * threads + warp - 1) / warp));
  const auto longest = [&](std::int64_t first, std::int64_t count) {
    if (first >= rows) return std::int64_t{0};
    std::int64_t length = 0;
    for (std::int64_t row = first; row < std::min(rows, first + count); ++row)
      length = std::max<std::int64_t>(length, row_ptr[row + 1] - row_ptr[row]);
    return (length + threads - 1) / threads + 1;
  };
  const std::int64_t warp_rows = warp / threads, half_rows = std::max(1, half_warp / threads);
#pragma omp parallel for schedule(static)
  for (std::int64_t w = 0; w < static_cast<std::int64_t>(accesses.size()); ++w)
    accesses[w] = longest(w * warp_rows, half_rows) + longest((w + 1) * warp_rows - half_rows, half_rows);
  return accesses;
}

// Equations 1, 2 and 4.
std::int64_t most_loaded(const std::vector<std::int64_t>& of_warp, int block, int multiprocessors) {
  const std::size_t warps = static_cast<std::size_t>(block / warp);
  std::vector<std::int64_t> load(static_cast<std::size_t>(multiprocessors), 0);
  for (std::size_t w = 0; w < of_warp.size(); ++w) load[w / warps % load.size()] += of_warp[w];
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

std::int64_t ellr_t_accesses(std::span<const std::int32_t> row_ptr, int threads, int block,
                             int multiprocessors) {
  return most_loaded(warp_accesses(row_ptr, threads), block, multiprocessors);
}

EllrTChoice ellr_t_paper_choice(std::span<const std::int32_t> row_ptr, const PaperGpu& gpu,
                                const std::vector<int>& blocks, EllrTChoice wanted) {
  const auto fills = [&](int block) {
    return block * std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / block) >=
           gpu.threads_per_multiprocessor;
  };
  EllrTChoice best;
  std::int64_t fewest = -1;
  for (const int threads : ellr_t_threads) {
    if (wanted.threads != 0 && wanted.threads != threads) continue;
    const std::vector<std::int64_t> of_warp = warp_accesses(row_ptr, threads);
    for (const int block : blocks) {
      if (wanted.block != 0 ? wanted.block != block : !fills(block)) continue;
      const std::int64_t accesses = most_loaded(of_warp, block, gpu.multiprocessors);
      if (fewest >= 0 && accesses >= fewest) continue;
      fewest = accesses;
      best = {threads, block};
    }
  }
  return best;
}

}  // namespace quadrille
