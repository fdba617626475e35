// CMRS by the paper's own kernel, algorithm 1 of Koza, Matyka, Szkoda, Miroslaw 2012: a warp takes a strip.
// Beside ours (cmrs.cu), so that the paper's claims can be measured.
#include <atomic>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/cuda/x_path.cuh"

namespace quadrille::cuda {
namespace {

// A warp steps through the entries of its strip side by side. Each lane has a partial sum for every row of
// the strip in shared memory, sums[lane * height + row]; the upper half of the lanes' sums is added to the
// lower until one is left, whose `height` sums are the rows of y. Aligned: the reads of a strip longer than a
// warp begin on a whole line of 128 bytes.
template <CachePath Path, class T>
__global__ void __launch_bounds__(1024)
    cmrs_paper_kernel(std::int64_t strips, std::int64_t rows, int height, bool aligned, int row_bits,
                      const std::int32_t* __restrict__ strip_ptr, const std::uint32_t* __restrict__ column,
                      const std::uint8_t* __restrict__ row_in_strip, const T* __restrict__ value, const T* x,
                      Output<T> y) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t strip = std::int64_t{blockIdx.x} * (blockDim.x / 32) + warp;
  if (strip >= strips) return;  // whole warps, which do not wait for others
  T* const sums = reinterpret_cast<T*>(shared) + warp * 32 * height;
  T* const mine = sums + lane * height;
  for (int r = 0; r < height; ++r) mine[r] = 0;
  const int begin = strip_ptr[strip], end = strip_ptr[strip + 1];
  const int first = aligned && end - begin > 32 ? begin & ~31 : begin;
  const unsigned mask = (1u << row_bits) - 1;
  for (int j = first + lane; j < end; j += 32) {
    if (j < begin) continue;
    const std::uint32_t c = column[j];
    const unsigned r = row_bits > 0 ? c & mask : row_in_strip != nullptr ? row_in_strip[j] : 0u;
    mine[r] += load_x<Path>(x + (c >> row_bits)) * value[j];
  }
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    for (int i = lane; i < step * height; i += 32) sums[i] += sums[i + step * height];
    __syncwarp();
  }
  if (lane < height && strip * height + lane < rows) y.put(strip * height + lane, sums[lane]);
}

// What the driver is asked for; kernels that need more shared memory get more.
int carveout(MemorySplit split) {
  return split == MemorySplit::l1       ? cudaSharedmemCarveoutMaxL1
         : split == MemorySplit::shared ? cudaSharedmemCarveoutMaxShared
                                        : cudaSharedmemCarveoutDefault;
}

// The split is a property of the kernel, set where it changes: setting it takes about as long as a small
// product.
template <CachePath Path, class T>
void launch_paper_kernel(const Execution& on, const Cmrs<T, Device>& a, unsigned blocks, int threads,
                         int bytes, const T* x, Output<T> y) {
  const MemorySplit split = on.prepared.split;
  static std::atomic<MemorySplit> present = MemorySplit::driver;
  const auto kernel = cmrs_paper_kernel<Path, T>;
  if (present.exchange(split) != split)
    QUADRILLE_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout(split)));
  constexpr int without_asking = 48 << 10;
  if (bytes > without_asking)
    QUADRILLE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<blocks, threads, bytes, stream_of(on)>>>(
      a.strips(), a.rows, a.height, on.prepared.aligned, a.packed ? Cmrs<T>::packed_bits : 0,
      a.strip_ptr.data(), a.column.data(), a.row_in_strip.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("cmrs of the paper");
}

}  // namespace

template <class T>
void spmv_paper(const Execution& on, const Cmrs<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  to_index32(a.nnz() + 32, "non-zeros and a warp of them");  // lanes count to the end of the last step
  const int threads = on.prepared.block, per_block = threads / 32;
  const unsigned blocks = to_index32((a.strips() + per_block - 1) / per_block, "blocks of threads");
  const int bytes = threads * a.height * static_cast<int>(sizeof(T));
  with_path(on.prepared.cache,
            [&]<CachePath Path>() { launch_paper_kernel<Path>(on, a, blocks, threads, bytes, x, y); });
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv_paper(const Execution&, const Cmrs<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
