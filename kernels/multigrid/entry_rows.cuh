// Steps on levels whose rows are stored by entries: a thread has a node, with all of its rows, and a block a
// tile of some lines, whose neighbours are in the first-level cache. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/entry_rows.hpp"
#include "kernels/multigrid/node_blocks.cuh"

namespace quadrille::multigrid::device {

// Of 2 to 8 planes a thread, and of other tiles, none was faster.
inline constexpr int tile_nodes = 32, tile_lines = 8;

template <class F>
__global__ void __launch_bounds__(tile_nodes* tile_lines)
    entry_rows_kernel(const __grid_constant__ F f, int tiles_x, int tiles_y) {
  using T = typename F::Number;
  const Couplings& s = f.s;
  const int rest = static_cast<int>(blockIdx.x) / tiles_x, z = rest / tiles_y,
            x = (static_cast<int>(blockIdx.x) - rest * tiles_x) * tile_nodes + threadIdx.x,
            y = (rest - z * tiles_y) * tile_lines + threadIdx.y;
  if (x >= s.n[0] || y >= s.n[1]) return;
  const auto node = f.node_at({x, y, z});
  T sum[F::rows], by[F::rows], times[F::rows];
  f.own_sums(f.source(), node, 0, sum);
  put_factors(f, node.first_row, sum, by);
  f.times_all(f.block(), node, by, times);
  finish_rows(f, node.first_row, times, sum);
}
template <class F>
void run_entry_rows(const F& f, cudaStream_t stream) {
  const auto parts = [](int n, int size) { return (n + size - 1) / size; };
  const int tiles_x = parts(f.s.n[0], tile_nodes), tiles_y = parts(f.s.n[1], tile_lines);
  const std::int64_t blocks = std::int64_t{tiles_x} * tiles_y * f.s.n[2];
  entry_rows_kernel<<<cuda::blocks_for(blocks, 1), dim3(tile_nodes, tile_lines), 0, stream>>>(f, tiles_x,
                                                                                              tiles_y);
  QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
}

}  // namespace quadrille::multigrid::device
