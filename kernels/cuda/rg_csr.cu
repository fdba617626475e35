// RgCSR on the GPU. Source: Oberhuber, Suzuki, Vacata 2010, section 3.4. One thread owns one row; the threads
// of a group read consecutive entries, and each stops at its row's own length. Groups need not be blocks: any
// group size fills the blocks.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    rg_csr_kernel(std::int64_t rows, int group, const std::int32_t* __restrict__ group_ptr,
                  const std::int32_t* __restrict__ row_length, const std::int32_t* __restrict__ order,
                  const std::int32_t* __restrict__ column, const T* __restrict__ value,
                  const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t i = global_thread();
  if (i >= rows) return;
  const std::int64_t g = i / group, first = g * group,
                     size = min(static_cast<std::int64_t>(group), rows - first);
  const std::int64_t begin = group_ptr[g] + i - first;
  const T sum = sparse_dot(column, value, x, begin, begin + row_length[i] * size, size);
  y[order != nullptr ? order[i] : i] = sum;
}

}  // namespace

template <class T>
void spmv(const RgCsr<T, Device>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  rg_csr_kernel<<<blocks_for(a.rows), threads_per_block>>>(a.rows, a.group, a.group_ptr.data(),
                                                           a.row_length.data(), a.order.data(),
                                                           a.column.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("rg_csr");
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const RgCsr<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
