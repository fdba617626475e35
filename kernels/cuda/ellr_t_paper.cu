// ELLR-T by the paper's own kernel, section 3.2 and figure 2 of Vazquez, Fernandez, Garzon 2011. Beside ours
// (ellr_t.cu), so that the paper's claims and its model can be measured. T neighbouring threads own a row:
// they read its length, step through it T entries at a time with one load of each array in flight, and add
// their sums in shared memory. The layout puts what a warp reads at once side by side.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/cuda/x_path.cuh"

namespace quadrille::cuda {
namespace {

constexpr int most_threads = ellr_t_blocks.back();

// Threads beyond the last row go through it without entries, for all of a warp meet at the reduction.
template <int Threads, CachePath Path, class T>
__global__ void __launch_bounds__(most_threads)
    ellr_t_paper_kernel(std::int64_t rows, std::int64_t pitch, const std::int32_t* __restrict__ row_length,
                        const std::int32_t* __restrict__ column, const T* __restrict__ value, const T* x,
                        Output<T> y) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / Threads;
  const int lane = static_cast<int>(threadIdx.x % Threads);
  const int length = row < rows ? row_length[row] : 0;
  T sum = 0;
  std::int64_t at = thread;  // entry e = lane + s*Threads of the row stands at s*pitch*Threads + thread
#pragma unroll 1
  for (int e = lane; e < length; e += Threads, at += pitch * Threads)
    sum += value[at] * load_x<Path>(x + column[at]);
  if constexpr (Threads > 1) {
    extern __shared__ __align__(16) unsigned char shared[];
    T* const mine = reinterpret_cast<T*>(shared) + threadIdx.x;
    *mine = sum;
    __syncwarp();
#pragma unroll
    for (int step = Threads / 2; step > 0; step /= 2) {
      if (lane < step) *mine += mine[step];
      __syncwarp();
    }
    sum = *mine;
  }
  if (row < rows && lane == 0) y.put(row, sum);
}

template <int Threads, class T>
void launch(const Execution& on, const EllrT<T, Device>& a, const T* x, Output<T> y) {
  const int block = on.prepared.block;
  const unsigned blocks = blocks_for(a.rows * Threads, block);
  const std::size_t bytes = Threads > 1 ? static_cast<std::size_t>(block) * sizeof(T) : 0;
  with_path(on.prepared.cache, [&]<CachePath Path>() {
    ellr_t_paper_kernel<Threads, Path><<<blocks, block, bytes, stream_of(on)>>>(
        a.rows, a.pitch, a.row_length.data(), a.column.data(), a.value.data(), x, y);
  });
  QUADRILLE_CUDA_LAUNCHED("ellr_t of the paper");
}

}  // namespace

template <class T>
void spmv_paper(const Execution& on, const EllrT<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  switch (a.threads) {
    case 1:
      return launch<1>(on, a, x, y);
    case 2:
      return launch<2>(on, a, x, y);
    case 4:
      return launch<4>(on, a, x, y);
    case 8:
      return launch<8>(on, a, x, y);
    case 16:
      return launch<16>(on, a, x, y);
    default:
      return launch<32>(on, a, x, y);
  }
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv_paper(const Execution&, const EllrT<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
