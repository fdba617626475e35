// The kernel of line_tiles.hpp. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/line_tiles.hpp"

namespace quadrille::multigrid::device {

// A V of this thread.
template <class V>
struct Own {
  V v;
  constexpr V& operator[](int) { return v; }
  constexpr const V& operator[](int) const { return v; }
};

// What needs a GPU, for functions that nvcc compiles for the host as well.
#if defined(__CUDA_ARCH__)
#define QUADRILLE_ON_GPU(...) __VA_ARGS__
#else
#define QUADRILLE_ON_GPU(...)
#endif

struct WarpLanes {
  template <class V>
  using Each = Own<V>;

  template <class F>
  constexpr void each(const F& f) const {
    QUADRILLE_ON_GPU(f(static_cast<int>(threadIdx.x % lanes));)
  }
  template <class T, int Dof>
  constexpr Own<LineMap<T, Dof>> before(const Own<LineMap<T, Dof>>& map, int step) const {
    Own<LineMap<T, Dof>> other = map;
    QUADRILLE_ON_GPU(for (T& m
                          : other.v.m) m = __shfl_up_sync(cuda::full_warp, m, step);
                     for (T& v
                          : other.v.v) v = __shfl_up_sync(cuda::full_warp, v, step);)
    return other;
  }
  // Its v alone.
  template <class T, int Dof>
  constexpr LineMap<T, Dof> last(const Own<LineMap<T, Dof>>& map) const {
    LineMap<T, Dof> other = map.v;
    QUADRILLE_ON_GPU(for (T& v : other.v) v = __shfl_sync(cuda::full_warp, v, lanes - 1);)
    return other;
  }
  constexpr void sync() const { QUADRILLE_ON_GPU(__syncwarp();) }
};

struct BlockThreads {
  template <class V>
  using Each = Own<V>;

  template <class F>
  constexpr void each(const F& f) const {
    QUADRILLE_ON_GPU(f(static_cast<int>(threadIdx.x));)
  }
  template <class F>
  constexpr void each_warp(const F& f) const {
    QUADRILLE_ON_GPU(f(WarpLanes{}, static_cast<int>(threadIdx.x) / lanes);)
  }
  constexpr void sync() const { QUADRILLE_ON_GPU(__syncthreads();) }
  constexpr void wait_for_step_before() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
  }
};

#undef QUADRILLE_ON_GPU

// The next launch may begin when all blocks of this one have, to find its lines while this one computes.
template <class Step>
__global__ void __launch_bounds__(LineTiles::threads, Step::teams_together)
    line_tiles_kernel(const __grid_constant__ Step step) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  extern __shared__ __align__(16) char of_lines[];
  step(BlockThreads{}, static_cast<int>(blockIdx.x), of_lines);
}

template <class Step>
void run_line_tiles(const Step& step, int most_bytes, cudaStream_t stream) {
  const auto kernel = line_tiles_kernel<Step>;
  static const bool waits = [&] {  // compiled for a GPU that can wait
    cudaFuncAttributes compiled{};
    QUADRILLE_CUDA(cudaFuncGetAttributes(&compiled, kernel));
    return CUDART_VERSION >= 12030 && compiled.ptxVersion >= 90;
  }();
  QUADRILLE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(cuda::blocks_for(step.tiles.teams, 1));
  config.blockDim = dim3(LineTiles::threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(step.tiles.bytes);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = waits ? 1 : 0;
  QUADRILLE_CUDA(cudaLaunchKernelEx(&config, kernel, step));
  QUADRILLE_CUDA_LAUNCHED("the lines of a colour");
}

}  // namespace quadrille::multigrid::device
