// BCSR on the GPU: one thread owns one row, neighbouring threads the rows of a block. A block's rows are read
// side by side, each by its thread; the sectors that one column's reads leave half used serve the next column
// from the first-level cache.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

struct Shape {
  std::int64_t rows, columns;
  int block_size;
};

// B 0: any block size.
template <int B, class T>
__global__ void __launch_bounds__(threads_per_block)
    bcsr_kernel(Shape shape, const std::int32_t* __restrict__ block_row_ptr,
                const std::int32_t* __restrict__ block_column, const T* __restrict__ value,
                const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t row = global_thread();
  if (row >= shape.rows) return;
  const int b = B > 0 ? B : shape.block_size;
  const std::int64_t block_row = row / b;
  const int r = static_cast<int>(row % b);
  T sum = 0;
#pragma unroll 2
  for (std::int64_t k = block_row_ptr[block_row]; k < block_row_ptr[block_row + 1]; ++k) {
    const std::int64_t first = static_cast<std::int64_t>(__ldg(block_column + k)) * b;
    const T* const a = value + (k * b + r) * b;
#pragma unroll
    for (int c = 0; c < b; ++c)
      if (first + c < shape.columns) sum += a[c] * __ldg(x + first + c);
  }
  y[row] = sum;
}

}  // namespace

template <class T>
void spmv(const Bcsr<T, Device>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  const auto launch = [&](auto kernel) {
    kernel<<<blocks_for(a.rows), threads_per_block>>>({a.rows, a.columns, a.block_size},
                                                      a.block_row_ptr.data(), a.block_column.data(),
                                                      a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("bcsr");
  };
  switch (a.block_size) {
    case 1:
      return launch(bcsr_kernel<1, T>);
    case 2:
      return launch(bcsr_kernel<2, T>);
    case 3:
      return launch(bcsr_kernel<3, T>);
    case 4:
      return launch(bcsr_kernel<4, T>);
    case 5:
      return launch(bcsr_kernel<5, T>);
    case 6:
      return launch(bcsr_kernel<6, T>);
    case 7:
      return launch(bcsr_kernel<7, T>);
    case 8:
      return launch(bcsr_kernel<8, T>);
    default:
      return launch(bcsr_kernel<0, T>);
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Bcsr<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
