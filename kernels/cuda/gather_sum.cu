// Gathered sums on the GPU. A thread owns a place: it adds up its entries in their order, without atomics.
// Consecutive threads own consecutive rows of a column, so that the target is written, and `begin` and
// `entry` are read, with unit stride and past the caches. Consecutive blocks own the same rows in all
// columns: the entries of a row, which often stand side by side in the source, then come from memory once and
// from the second-level cache for the other columns.
#include "kernels/cuda/launch.cuh"
#include "kernels/gather_sum.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
__device__ T at(const TwoArrays<T>& source, std::int32_t entry) {
  return entry < source.size ? __ldg(source.first + entry) : __ldg(source.second + (entry - source.size));
}

template <bool Several, class T>
__global__ void __launch_bounds__(threads_per_block)
    gather_sum_kernel(unsigned columns, std::int64_t rows, const std::int32_t* __restrict__ begin,
                      const std::int32_t* __restrict__ entry, TwoArrays<T> source, T* __restrict__ target,
                      bool add) {
  const unsigned tile = blockIdx.x / columns, column = blockIdx.x - tile * columns;
  const std::int64_t row = static_cast<std::int64_t>(tile) * threads_per_block + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t p = column * rows + row;
  T sum = 0;
  if constexpr (Several) {
    const std::int32_t end = __ldcs(begin + p + 1);
    for (std::int32_t k = __ldcs(begin + p); k < end; ++k) sum += at(source, __ldcs(entry + k));
  } else {
    const std::int32_t only = __ldcs(entry + p);
    if (only >= 0) sum = at(source, only);
  }
  target[p] = add ? target[p] + sum : sum;
}

}  // namespace

template <class T>
void gather_sum(Queue queue, const GatherSum<Device>& g, const TwoArrays<T>& source, T* target, bool add) {
  if (g.rows == 0 || g.columns == 0) return;
  const std::int64_t tiles = (g.rows + threads_per_block - 1) / threads_per_block;
  const auto blocks = static_cast<unsigned>(
      to_index32(checked_product(tiles, g.columns, "blocks of places"), "blocks of places"));
  const auto kernel = g.begin.size() > 0 ? gather_sum_kernel<true, T> : gather_sum_kernel<false, T>;
  kernel<<<blocks, threads_per_block, 0, stream_of(queue)>>>(
      static_cast<unsigned>(g.columns), g.rows, g.begin.data(), g.entry.data(), source, target, add);
  QUADRILLE_CUDA_LAUNCHED("gathered sums");
}

template void gather_sum(Queue, const GatherSum<Device>&, const TwoArrays<float>&, float*, bool);
template void gather_sum(Queue, const GatherSum<Device>&, const TwoArrays<double>&, double*, bool);

}  // namespace quadrille::cuda
