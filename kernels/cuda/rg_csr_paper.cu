// RgCSR by the paper's own kernel, section 3.4 of Oberhuber, Suzuki, Vacata 2010. Beside ours (rg_csr.cu), so
// that the paper's claims can be measured. A block owns a group and each of its threads a row, which it steps
// through with one load of each array in flight, up to the row's own length. Neighbouring threads read
// neighbouring entries.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/cuda/x_path.cuh"

namespace quadrille::cuda {
namespace {

template <CachePath Path, class T>
__global__ void __launch_bounds__(1024)
    rg_csr_paper_kernel(std::int64_t rows, const std::int32_t* __restrict__ group_ptr,
                        const std::int32_t* __restrict__ row_length, const std::int32_t* __restrict__ order,
                        const std::int32_t* __restrict__ column, const T* __restrict__ value, const T* x,
                        Output<T> y) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x, row = first + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t size = min(static_cast<std::int64_t>(blockDim.x), rows - first);  // of the last group
  std::int64_t at = static_cast<std::int64_t>(group_ptr[blockIdx.x]) + threadIdx.x;
  const int length = row_length[row];
  T sum = 0;
#pragma unroll 1
  for (int e = 0; e < length; ++e, at += size) sum += value[at] * load_x<Path>(x + column[at]);
  y.put(order != nullptr ? order[row] : row, sum);
}

}  // namespace

template <class T>
void spmv_paper(const Execution& on, const RgCsr<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  with_path(on.prepared.cache, [&]<CachePath Path>() {
    rg_csr_paper_kernel<Path><<<to_index32(a.groups(), "groups"), a.group, 0, stream_of(on)>>>(
        a.rows, a.group_ptr.data(), a.row_length.data(), a.order.data(), a.column.data(), a.value.data(), x,
        y);
  });
  QUADRILLE_CUDA_LAUNCHED("rg_csr of the paper");
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv_paper(const Execution&, const RgCsr<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
