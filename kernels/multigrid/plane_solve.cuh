// The steps of plane_solve.hpp in GPU memory, in one launch. Internal to kernels/multigrid.
//
// A step reads 8 MiB of an inverse, which the memory has in 2 us, and waits twice for what all blocks of
// threads make: its right side and the product of the step before. These numbers pass by themselves, without
// a barrier: `passed` is full of a number that nothing makes, and who needs a place looks at it until another
// number is there. All blocks of threads are at work at once, so that the wait ends. Each has the same rows
// of every step, whose inverses are on their way to its registers while it waits.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/plane_solve.hpp"

namespace quadrille::multigrid::device {

inline constexpr int plane_threads = 256, plane_warps = plane_threads / 32;
// Rows and columns of an inverse that a block of threads has in registers; a thread has four columns.
inline constexpr int rows_at_once = 8, columns_of_thread = 4,
                     columns_at_once = plane_threads * columns_of_thread;

// All bits are set: arithmetic does not make that NaN, and pass() turns one that came with b into another.
__device__ inline bool is_passed(double number) {
  return __double_as_longlong(number) != -1;
}
__device__ inline void pass(double* place, double number) {
  if (!is_passed(number)) number = __longlong_as_double(0x7ff8000000000000);
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(place), "d"(number) : "memory");
}
__device__ inline double look(const double* place) {
  double number;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(number) : "l"(place) : "memory");
  return number;
}
// Waits for the numbers at these places; where that is -1 it is a number at `nothing`, which has no bearing
// and is there, so that all loads are under way together. A warp waits together: lanes that go on by
// themselves do everything that follows by themselves, too.
template <int Count>
__device__ void wait_for(const double* from, const int (&places)[Count], const double* nothing,
                         double (&numbers)[Count]) {
  const double* at[Count];
#pragma unroll
  for (int k = 0; k < Count; ++k) at[k] = places[k] >= 0 ? from + places[k] : nothing;
  bool missing = true;
  do {
#pragma unroll
    for (int k = 0; k < Count; ++k) numbers[k] = look(at[k]);
    missing = false;
#pragma unroll
    for (int k = 0; k < Count; ++k) missing = missing || !is_passed(numbers[k]);
  } while (__any_sync(cuda::full_warp, missing));
}
// A load that stays where it is written, before a wait, `Offset` numbers behind a place.
template <int Offset>
__device__ double load_now(const double* place) {
  double number;
  asm volatile("ld.global.nc.f64 %0, [%1+%2];" : "=d"(number) : "l"(place), "n"(8 * Offset));
  return number;
}
template <class T>
__device__ void copy_later(T* to_shared, const T* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to_shared))),
               "l"(from), "n"(sizeof(T))
               : "memory");
}

// The shared memory of a block of threads with so many rows of each step.
struct PlaneMemory {
  int columns, rows, couplings, all_kept;
  PlaneMemory(const PlaneOrder& order, int dof, int rows)
      : columns((order.size + columns_at_once - 1) / columns_at_once * columns_at_once),
        rows((rows + rows_at_once - 1) / rows_at_once * rows_at_once),
        couplings(9 * dof * rows),
        all_kept(order.blocks * rows) {}
  double* right = nullptr;         // [column]: a thread writes and reads its own
  double* of_warps = nullptr;      // [even, odd step][warp][row]
  double* kept = nullptr;          // [block][row]
  double* values = nullptr;        // [even, odd step][coupling][row]
  std::int32_t* places = nullptr;  // the same
  constexpr std::size_t bytes() const {
    return 8 * (columns + 2 * plane_warps * rows + all_kept + 2 * couplings) + 4 * (2 * couplings);
  }
  __device__ void begins_at(double* memory) {
    right = memory;
    of_warps = right + columns;
    kept = of_warps + 2 * plane_warps * rows;
    values = kept + all_kept;
    places = reinterpret_cast<std::int32_t*>(values + 2 * couplings);
  }
};

// Sums eight numbers of each lane over a warp: a lane of every four gets that of row lane / 4.
__device__ inline double sum_of_rows(double (&sums)[rows_at_once]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 4, bit = 16; half > 0; half /= 2, bit /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const bool high = (lane & bit) != 0;
      const double sent = high ? sums[i] : sums[i + half], kept = high ? sums[i + half] : sums[i];
      sums[i] = kept + __shfl_xor_sync(cuda::full_warp, sent, bit);
    }
  sums[0] += __shfl_xor_sync(cuda::full_warp, sums[0], 2);
  return sums[0] + __shfl_xor_sync(cuda::full_warp, sums[0], 1);
}

// A block of threads has `rows_each` rows of each step.
template <class T>
__global__ void __launch_bounds__(plane_threads, 1)
    planes_kernel(const __grid_constant__ PlaneSolve<T> f, PlaneMemory memory, int rows_each) {
  extern __shared__ __align__(16) double of_block[];
  memory.begins_at(of_block);
  const int size = f.order.size, thread = threadIdx.x, warp = __shfl_sync(cuda::full_warp, thread / 32, 0),
            lane = thread % 32, first = blockIdx.x * rows_each, rows = min(rows_each, size - first),
            chunks = memory.columns / columns_at_once, tiles = memory.rows / rows_at_once * chunks;
  double tile[rows_at_once][columns_of_thread];
  const auto load_tile = [&](const PlaneStep& step, int number) {
    const int row = number / chunks * rows_at_once, column = number % chunks * columns_at_once + thread;
    const double* at = f.inverse(step, first + row) + column;
    if (row + rows_at_once <= rows && (number % chunks + 1) * columns_at_once <= size) {
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r, at += size) {
        tile[r][0] = load_now<0>(at);
        tile[r][1] = load_now<plane_threads>(at);
        tile[r][2] = load_now<2 * plane_threads>(at);
        tile[r][3] = load_now<3 * plane_threads>(at);
      }
      return;
    }
#pragma unroll
    for (int r = 0; r < rows_at_once; ++r, at += size)
#pragma unroll
      for (int m = 0; m < columns_of_thread; ++m) {
        const bool there = row + r < rows && column + m * plane_threads < size;
        tile[r][m] = there ? load_now<0>(at + m * plane_threads) : 0;
      }
  };
  const auto bring_couplings = [&](const PlaneStep& step) {
    double* const values = memory.values + step.number % 2 * memory.couplings;
    std::int32_t* const places = memory.places + step.number % 2 * memory.couplings;
    for (int at = thread; at < memory.couplings; at += plane_threads) {
      const int i = at % rows_each;
      if (i >= rows) continue;
      const std::int64_t from = std::int64_t{at / rows_each} * size + first + i;
      copy_later(values + at, f.values(step) + from);
      copy_later(places + at, f.places(step) + from);
    }
  };
  const auto couplings_are_here = [] { asm volatile("cp.async.wait_all;" ::: "memory"); };
  const auto read = [&](const double* from, const int(&places)[9], double(&numbers)[9]) {
    wait_for(from, places, f.inverses, numbers);
  };
  bring_couplings(f.step(0));
  couplings_are_here();
  load_tile(f.step(0), 0);
  for (int at = thread; at < memory.all_kept; at += plane_threads)
    memory.kept[at] = at % rows_each < rows ? f.first(at / rows_each, first + at % rows_each) : 0;
  __syncthreads();
  for (int number = 0; number < f.steps(); ++number) {
    const PlaneStep step = f.step(number);
    const bool is_last = number + 1 == f.steps();
    double *const right = f.right_of(step), *const kept = memory.kept + step.block * rows_each;
    for (int of_warp = warp * 32; of_warp < rows; of_warp += plane_threads) {
      const int i = min(of_warp + lane, rows - 1), couplings = number % 2 * memory.couplings + i;
      const double made =
          f.right(step, kept[i], memory.values + couplings, memory.places + couplings, rows_each, read);
      if (of_warp + lane < rows) pass(right + first + i, made);
    }
    __syncwarp();
    if (!is_last) bring_couplings(f.step(number + 1));
    for (int c = 0; c < chunks; ++c) {
      int places[columns_of_thread];
      double numbers[columns_of_thread] = {};
#pragma unroll
      for (int m = 0; m < columns_of_thread; ++m) {
        const int column = c * columns_at_once + m * plane_threads + thread;
        places[m] = column < size ? column : -1;
      }
      wait_for(right, places, f.inverses, numbers);
#pragma unroll
      for (int m = 0; m < columns_of_thread; ++m)
        memory.right[c * columns_at_once + m * plane_threads + thread] = numbers[m];
    }
    couplings_are_here();  // before the next tile is waited for with them
    double* const of_warps = memory.of_warps + number % 2 * plane_warps * memory.rows;
    double sums[rows_at_once] = {};
    for (int t = 0; t < tiles; ++t) {
      const int chunk = t % chunks;
#pragma unroll
      for (int m = 0; m < columns_of_thread; ++m) {
        const double by = memory.right[chunk * columns_at_once + m * plane_threads + thread];
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) sums[r] += tile[r][m] * by;
      }
      if (t + 1 < tiles)
        load_tile(step, t + 1);
      else if (!is_last)
        load_tile(f.step(number + 1), 0);
      if (chunk + 1 < chunks) continue;
      const double sum = sum_of_rows(sums);
      if (lane % 4 == 0) of_warps[warp * memory.rows + t / chunks * rows_at_once + lane / 4] = sum;
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r) sums[r] = 0;
    }
    __syncthreads();
    for (int i = thread; i < rows; i += plane_threads) {
      double product = 0;
#pragma unroll
      for (int w = 0; w < plane_warps; ++w) product += of_warps[w * memory.rows + i];
      kept[i] = f.take(step, first + i, kept[i], product, pass);
    }
  }
  __syncthreads();
  for (int at = thread; at < memory.all_kept; at += plane_threads)
    if (at % rows_each < rows) f.finish(at / rows_each, first + at % rows_each, memory.kept[at]);
}

// All blocks at once, of which a multiprocessor has one.
template <class T>
void run_planes(const PlaneSolve<T>& f, int multiprocessors, cudaStream_t stream) {
  const int size = f.order.size,
            rows = std::max(rows_at_once, (size + multiprocessors - 1) / multiprocessors);
  const PlaneMemory memory(f.order, f.s.dof, rows);
  constexpr std::size_t without_asking = 48 << 10;
  if (memory.bytes() > without_asking)
    QUADRILLE_CUDA(cudaFuncSetAttribute(planes_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(memory.bytes())));
  QUADRILLE_CUDA(cudaMemsetAsync(f.passed, 0xff, sizeof(double) * 4 * f.order.blocks * size, stream));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>((size + rows - 1) / rows));
  config.blockDim = dim3(plane_threads);
  config.dynamicSmemBytes = memory.bytes();
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  QUADRILLE_CUDA(cudaLaunchKernelEx(&config, planes_kernel<T>, f, memory, rows));
  QUADRILLE_CUDA_LAUNCHED("planes of the coarsest grid");
}

}  // namespace quadrille::multigrid::device
