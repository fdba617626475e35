// CMRS on the GPU. Source: Koza, Matyka, Szkoda, Miroslaw 2012, algorithm 1. A warp owns a strip and reads
// its entries side by side. Each lane keeps one partial sum per row of the strip, in registers where the
// paper used shared memory; the row of an entry selects the sum it goes to. The sums of the lanes meet at the
// end, always in the same order.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

struct Strips {
  std::int64_t rows, count;
  int height;
  const std::int32_t* ptr;
  const std::uint32_t* column;
  const std::uint8_t* row;  // null where the row is packed into the column
  bool packed;
};

// Height: the strip's height rounded up to a power of two.
template <int Height, class T>
__global__ void __launch_bounds__(threads_per_block)
    cmrs_kernel(const __grid_constant__ Strips a, const T* __restrict__ value, const T* __restrict__ x,
                T* __restrict__ y) {
  constexpr int bits = Cmrs<T>::packed_bits;
  const std::int64_t strip = global_thread() / 32;
  if (strip >= a.count) return;
  const int lane = threadIdx.x % 32;
  T sum[Height] = {};
#pragma unroll 4
  for (std::int64_t k = a.ptr[strip] + lane, end = a.ptr[strip + 1]; k < end; k += 32) {
    const std::uint32_t c = __ldcs(a.column + k);
    const std::uint32_t row = a.packed ? c & ((1u << bits) - 1) : a.row != nullptr ? __ldcs(a.row + k) : 0u;
    const T product = __ldcs(value + k) * __ldg(x + (a.packed ? c >> bits : c));
#pragma unroll
    for (int r = 0; r < Height; ++r) sum[r] += row == r ? product : T(0);
  }
#pragma unroll
  for (int r = 0; r < Height; ++r) {
    const T total = sum_lanes<32>(sum[r]);
    const std::int64_t row = strip * a.height + r;
    if (lane == 0 && r < a.height && row < a.rows) y[row] = total;
  }
}

}  // namespace

template <class T>
void spmv(const Cmrs<T, Device>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  const Strips strips{
      a.rows, a.strips(), a.height, a.strip_ptr.data(), a.column.data(), a.row_in_strip.data(), a.packed};
  const auto launch = [&](auto kernel) {
    kernel<<<blocks_for(a.strips() * 32), threads_per_block>>>(strips, a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("cmrs");
  };
  if (a.height == 1) return launch(cmrs_kernel<1, T>);
  if (a.height == 2) return launch(cmrs_kernel<2, T>);
  if (a.height <= 4) return launch(cmrs_kernel<4, T>);
  if (a.height <= 8) return launch(cmrs_kernel<8, T>);
  return launch(cmrs_kernel<16, T>);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Cmrs<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
