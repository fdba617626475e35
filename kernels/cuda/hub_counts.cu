// A thread looks at a value: consecutive threads at consecutive rows of one column of one diagonal.
#include "kernels/cuda/hub_counts.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    count_kernel(const T* __restrict__ values, std::int64_t rows, int dof, std::uint8_t* __restrict__ used,
                 unsigned long long* __restrict__ non_zeros) {
  const std::int64_t row = global_thread(), column = blockIdx.y;
  const bool there = row < rows && values[column * rows + row] != T(0);
  if (there) {
    std::uint8_t& mark = used[column * dof + row % dof];
    if (mark == 0) mark = 1;
  }
  const int of_block = __syncthreads_count(there);
  if (threadIdx.x == 0 && of_block > 0) atomicAdd(non_zeros, static_cast<unsigned long long>(of_block));
}

}  // namespace

template <class T>
HubCounts count_hub(const BlockDiagonals<T, Device>& hub) {
  HubCounts counts;
  const std::int64_t rows = hub.rows(), columns = hub.diagonals() * hub.dof;
  counts.used.resize(static_cast<std::size_t>(columns * hub.dof));
  if (rows == 0 || columns == 0) return counts;
  Array<std::uint8_t, Device> used(columns * hub.dof);
  Array<unsigned long long, Device> non_zeros(1);
  zero_memory({}, used.data(), used.bytes());
  zero_memory({}, non_zeros.data(), non_zeros.bytes());
  const dim3 blocks(blocks_for(rows), static_cast<unsigned>(columns));
  count_kernel<<<blocks, threads_per_block>>>(hub.values.data(), rows, hub.dof, used.data(),
                                              non_zeros.data());
  QUADRILLE_CUDA_LAUNCHED("counting non-zeros");
  unsigned long long count = 0;
  memory::copy_to_host(&count, non_zeros.data(), sizeof count);
  memory::copy_to_host(counts.used.data(), used.data(), used.bytes());
  counts.non_zeros = static_cast<std::int64_t>(count);
  return counts;
}

template HubCounts count_hub(const BlockDiagonals<float, Device>&);
template HubCounts count_hub(const BlockDiagonals<double, Device>&);

}  // namespace quadrille::cuda
