// The naive products of Steinberger et al. 2016, Algorithms 1 and 2 as their sections IV and V put them on
// the GPU: one thread owns a segment and takes its entries one after the other; the transposed product adds
// each of them atomically.
#include "kernels/cuda/begin_sums.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv_paper.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    naive_gather_kernel(std::int64_t segments, const std::int32_t* __restrict__ ptr,
                        const std::int32_t* __restrict__ index, const T* __restrict__ value,
                        const T* __restrict__ x, Output<T> y) {
  const std::int64_t segment = global_thread();
  if (segment >= segments) return;
  T sum = 0;
  for (std::int32_t k = ptr[segment]; k < ptr[segment + 1]; ++k) sum += value[k] * x[index[k]];
  y.put(segment, sum);
}

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    naive_scatter_kernel(std::int64_t segments, const std::int32_t* __restrict__ ptr,
                         const std::int32_t* __restrict__ index, const T* __restrict__ value,
                         const T* __restrict__ x, Output<T> y) {
  const std::int64_t segment = global_thread();
  if (segment >= segments) return;
  for (std::int32_t k = ptr[segment]; k < ptr[segment + 1]; ++k)
    atomicAdd(y.to + index[k], value[k] * (y.alpha * x[segment]));
}

template <class T>
void naive_gather(const Execution& on, std::int64_t segments, const Array<std::int32_t, Device>& ptr,
                  const Array<std::int32_t, Device>& index, const Array<T, Device>& value, const T* x,
                  Output<T> y) {
  if (segments == 0) return;
  naive_gather_kernel<<<blocks_for(segments), threads_per_block, 0, stream_of(on)>>>(
      segments, ptr.data(), index.data(), value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("the naive product");
}

template <class T>
void naive_scatter(const Execution& on, std::int64_t segments, std::int64_t size_y,
                   const Array<std::int32_t, Device>& ptr, const Array<std::int32_t, Device>& index,
                   const Array<T, Device>& value, const T* x, Output<T> y) {
  begin_sums(on.queue, y, size_y);
  if (segments == 0) return;
  naive_scatter_kernel<<<blocks_for(segments), threads_per_block, 0, stream_of(on)>>>(
      segments, ptr.data(), index.data(), value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("the naive transposed product");
}

}  // namespace

template <class T>
void spmv_paper(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y) {
  naive_gather(on, a.rows, a.row_ptr, a.column, a.value, x, y);
}

template <class T>
void spmv_paper(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y) {
  naive_scatter(on, a.columns, a.rows, a.column_ptr, a.row, a.value, x, y);
}

template <class T>
void spmv_transpose_paper(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y) {
  naive_scatter(on, a.rows, a.columns, a.row_ptr, a.column, a.value, x, y);
}

template <class T>
void spmv_transpose_paper(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y) {
  naive_gather(on, a.columns, a.column_ptr, a.row, a.value, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                                                    \
  template void spmv_paper(const Execution&, const Csr<T, Device>&, const T*, Output<T>);           \
  template void spmv_paper(const Execution&, const Csc<T, Device>&, const T*, Output<T>);           \
  template void spmv_transpose_paper(const Execution&, const Csr<T, Device>&, const T*, Output<T>); \
  template void spmv_transpose_paper(const Execution&, const Csc<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
