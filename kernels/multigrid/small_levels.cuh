// The kernel of small_levels.hpp. Internal to kernels/multigrid.
#pragma once

#include <cooperative_groups.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/small_levels.hpp"

namespace quadrille::multigrid::device {

inline constexpr int small_threads = 512;  // of a block

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// The threads of a cluster, and what all of them have done.
struct ClusterThreads {
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  int threads = static_cast<int>(cluster.num_blocks()) * small_threads,
      thread = static_cast<int>(cluster.block_rank()) * small_threads + static_cast<int>(threadIdx.x);

  template <class F>
  __device__ void each(std::int64_t n, const F& f) const {
    for (std::int64_t i = thread; i < n; i += threads) f(i);
    cluster.sync();
  }
};

// A level's structure stays where the launch has put it: a copy of it would be each thread's own.
template <class T, int Rows, int Count, bool All>
using RowsOf = StencilRows<T, Rows, 1, Count, All, T, const Couplings&>;

// make(StencilRows) gives the step, with the numbers of couplings that there are instances for.
template <class T, class Make>
__device__ void each_row(const ClusterThreads& all, const SmallLevel<T>& level, const Make& make) {
  constexpr int word = rows_together<T>;
  const Couplings& s = level.s;
  const bool words = s.count == 26 && s.whole_box && s.in_words_of(word);
  if (words && s.stored.all)
    all.each(s.rows / word, make(RowsOf<T, word, 26, true>{s, level.scaled}));
  else if (words)
    all.each(s.rows / word, make(RowsOf<T, word, 26, false>{s, level.scaled}));
  else if (s.stored.all)
    all.each(s.rows, make(RowsOf<T, 1, 0, true>{s, level.scaled}));
  else
    all.each(s.rows, make(RowsOf<T, 1, 0, false>{s, level.scaled}));
}

// The residual of x from zero in y, restricted to `coarse`.
template <class T>
__device__ void go_down(const ClusterThreads& all, const SmallLevel<T>& level, T* coarse,
                        const SmallLevel<T>* next) {
  const Couplings& s = level.s;
  if (!level.has_g) {
    if (s.stored.all)
      all.each(s.rows, MultiplyDiagonal<T, T, 1, true>{s, level.inverse, level.b, level.g, false});
    else
      all.each(s.rows, MultiplyDiagonal<T, T, 1, false>{s, level.inverse, level.b, level.g, false});
  }
  each_row(all, level, [&]<class Stencil>(const Stencil& stencil) {
    return FirstTwoSweeps<Stencil>{stencil, level.g, level.x, level.first, level.second};
  });
  each_row(all, level, [&]<class Stencil>(const Stencil& stencil) {
    return Residual<Stencil>{stencil, level.g, level.x, level.diagonal, level.y};
  });
  const Transfer<T>& p = level.p;
  const std::int64_t rows = std::int64_t{p.coarse_n[0]} * p.coarse_n[1] * p.coarse_n[2];
  if (p.in_words && next != nullptr)
    all.each(rows / 2,
             RestrictInWords<T>{p, level.y, next->s, next->has_g ? next->inverse : nullptr, coarse});
  else if (p.in_words)
    all.each(rows / 2, RestrictInWords<T>{p, level.y, {}, nullptr, coarse});
  else if (p.weights != nullptr)
    all.each(rows, Restrict<T, 1, 1, true>{p, level.y, coarse});
  else
    all.each(rows, Restrict<T, 1, 1, false>{p, level.y, coarse});
}

// The correction is added to x, which is swept.
template <class T>
__device__ void go_up(const ClusterThreads& all, const SmallLevel<T>& level, const T* coarse) {
  const Couplings& s = level.s;
  const Transfer<T>& p = level.p;
  if (p.in_words)
    all.each(s.rows / 4, InterpolateAddInWords<T>{p, coarse, level.x});
  else if (p.weights != nullptr)
    all.each(s.rows, InterpolateAdd<T, 1, 1, true>{p, coarse, level.x});
  else
    all.each(s.rows, InterpolateAdd<T, 1, 1, false>{p, coarse, level.x});
  const auto sweep = [&](const T* from, T* to, T weight) {
    each_row(all, level, [&]<class Stencil>(const Stencil& stencil) {
      return Sweep<Stencil, T>{stencil, level.g, from, to, weight, false};
    });
  };
#pragma unroll 1  // half of the instructions to fetch
  for (int i = 0; i < 2; ++i)
    sweep(i == 0 ? level.x : level.y, i == 0 ? level.y : level.x, i == 0 ? level.second : level.first);
}

// A warp for a row.
template <class T>
__device__ void solve_coarsest(const ClusterThreads& all, const SmallLevels<T>& f) {
  const int rows = static_cast<int>(f.coarsest_rows), lane = all.thread % 32;
  for (int row = all.thread / 32; row < rows; row += all.threads / 32) {
    double sum = 0;
    for (int c = lane; c < rows; c += 32) sum += f.inverse[row * rows + c] * f.coarsest_b[c];
    sum = cuda::sum_lanes<32>(sum);
    if (lane == 0) f.coarsest_x[row] = static_cast<T>(sum);
  }
  all.cluster.sync();
}
#endif

template <class T>
__global__ void __launch_bounds__(small_threads)
    small_levels_kernel(const __grid_constant__ SmallLevels<T> f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const ClusterThreads all;
  for (int i = 0; i < f.count; ++i) {
    const bool last = i + 1 == f.count;
    go_down(all, f.level[i],
            last                   ? const_cast<T*>(f.coarsest_b)
            : f.level[i + 1].has_g ? f.level[i + 1].g
                                   : f.level[i + 1].b,
            last ? nullptr : &f.level[i + 1]);
  }
  solve_coarsest(all, f);
  for (int i = f.count - 1; i >= 0; --i)
    go_up(all, f.level[i], i + 1 == f.count ? f.coarsest_x : f.level[i + 1].x);
#endif
}

// One cluster of so many blocks.
inline cudaLaunchConfig_t cluster_of(int blocks, cudaStream_t stream, cudaLaunchAttribute& attribute) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(small_threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

// Blocks of the largest cluster that this GPU does the kernel with; 0: none.
template <class T>
int blocks_for_small_levels() {
  const auto kernel = small_levels_kernel<T>;
  int device = 0, clusters = 0;
  QUADRILLE_CUDA(cudaGetDevice(&device));
  QUADRILLE_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
  cudaFuncAttributes compiled{};
  QUADRILLE_CUDA(cudaFuncGetAttributes(&compiled, kernel));
  if (clusters == 0 || compiled.ptxVersion < 90) return 0;
  QUADRILLE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const int blocks : {16, 8}) {
    cudaLaunchAttribute attribute{};
    const cudaLaunchConfig_t config = cluster_of(blocks, nullptr, attribute);
    int fit = 0;
    if (cudaOccupancyMaxActiveClusters(&fit, kernel, &config) == cudaSuccess && fit > 0) return blocks;
    (void)cudaGetLastError();
  }
  return 0;
}

template <class T>
void run_small_levels(const SmallLevels<T>& levels, int blocks, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = cluster_of(blocks, stream, attribute);
  QUADRILLE_CUDA(cudaLaunchKernelEx(&config, small_levels_kernel<T>, levels));
  QUADRILLE_CUDA_LAUNCHED("the small levels");
}

}  // namespace quadrille::multigrid::device
