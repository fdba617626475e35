// RgCSR on the GPU. Source: Oberhuber, Suzuki, Vacata 2010, section 3.4. One thread owns one row; the threads
// of a group read consecutive entries, and each stops at its row's own length. A group of whole warps is a
// block; any other size fills blocks of 256. Beyond the paper's kernel (rg_csr_paper.cu), a thread has eight
// entries in flight, and several threads may share a row (rg_csr_rows.cuh).
#include "kernels/cuda/rg_csr_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    rg_csr_kernel(int rows, int group, const std::int32_t* __restrict__ group_ptr,
                  const std::int32_t* __restrict__ row_length, const std::int32_t* __restrict__ order,
                  const std::int32_t* __restrict__ column, const T* __restrict__ value,
                  const T* __restrict__ x, Output<T> y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows) return;
  const int g = static_cast<int>(blockDim.x) == group ? blockIdx.x : i / group, first = g * group;
  const std::int64_t begin = static_cast<std::int64_t>(__ldg(group_ptr + g)) + i - first;
  const T sum = thread_dot(column, value, x, begin, __ldg(row_length + i), min(group, rows - first));
  y.put(order != nullptr ? order[i] : i, sum);
}

}  // namespace

template <class T>
void spmv(const Execution& on, const RgCsr<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  if (on.prepared.lanes > 1) {
    const dim3 block(static_cast<unsigned>(a.group), static_cast<unsigned>(on.prepared.lanes));
    rg_csr_rows_kernel<<<static_cast<unsigned>(a.groups()), block, 0, stream_of(on)>>>(
        RgCsrRows{static_cast<int>(a.rows), a.group_ptr.data(), a.row_length.data(), a.order.data(),
                  a.column.data()},
        a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("rg_csr");
    return;
  }
  const int threads = a.group % 32 == 0 && a.group <= threads_per_block ? a.group : threads_per_block;
  const unsigned blocks = to_index32((a.rows + threads - 1) / threads, "blocks of threads");
  rg_csr_kernel<<<blocks, threads, 0, stream_of(on)>>>(static_cast<int>(a.rows), a.group, a.group_ptr.data(),
                                                       a.row_length.data(), a.order.data(), a.column.data(),
                                                       a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("rg_csr");
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const RgCsr<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
