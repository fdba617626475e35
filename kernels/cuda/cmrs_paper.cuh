// CMRS by the paper's own kernel, algorithm 1 of Koza, Matyka, Szkoda, Miroslaw 2012: a warp takes a strip. Beside ours
// (cmrs.cu), so that the paper's claims can be measured. Internal to kernels/cuda.
#pragma once

#include "formats/cmrs.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

// The paper's texture cache is the read-only path of today, and one memory with L1 since 2017; the third choice passes L1 by.
// Its split of a multiprocessor's memory between L1 and shared memory is the driver's business now.
template <CachePath Path, class T>
__device__ T load_x(const T* p) {
  if constexpr (Path == CachePath::read_only)
    return __ldg(p);
  else if constexpr (Path == CachePath::l1)
    return __ldca(p);
  else
    return __ldcg(p);
}

// A warp steps through the entries of its strip side by side. Each lane has a partial sum for every row of the strip in
// shared memory, sums[lane * height + row]; the upper half of the lanes' sums is added to the lower until one is left, whose
// `height` sums are the rows of y. Aligned: the reads of a strip longer than a warp begin on a whole line of 128 bytes.
template <CachePath Path, class T>
__global__ void __launch_bounds__(1024)
    cmrs_paper_kernel(std::int64_t strips, std::int64_t rows, int height, bool aligned, int row_bits,
                      const std::int32_t* __restrict__ strip_ptr, const std::uint32_t* __restrict__ column,
                      const std::uint8_t* __restrict__ row_in_strip, const T* __restrict__ value, const T* x,
                      T* y) {
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
  if (lane < height && strip * height + lane < rows) y[strip * height + lane] = sums[lane];
}

template <class T>
void multiply_as_the_paper(const Cmrs<T, Device>& a, const T* x, T* y) {
  if (a.rows == 0) return;
  to_index32(a.nnz() + 32, "non-zeros and a warp of them");  // lanes count to the end of the last step
  const int threads = threads_of(a.launch), per_block = threads / 32;
  const unsigned blocks = to_index32((a.strips() + per_block - 1) / per_block, "blocks of threads");
  const int bytes = threads * a.height * static_cast<int>(sizeof(T));
  const auto launch = [&](auto kernel) {
    constexpr int without_asking = 48 << 10;
    if (bytes > without_asking)
      QUADRILLE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<blocks, threads, bytes>>>(a.strips(), a.rows, a.height, a.launch.aligned,
                                       a.packed ? Cmrs<T>::packed_bits : 0, a.strip_ptr.data(),
                                       a.column.data(), a.row_in_strip.data(), a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("cmrs of the paper");
  };
  switch (a.launch.cache) {
    case CachePath::read_only:
      return launch(cmrs_paper_kernel<CachePath::read_only, T>);
    case CachePath::l1:
      return launch(cmrs_paper_kernel<CachePath::l1, T>);
    case CachePath::l2:
      return launch(cmrs_paper_kernel<CachePath::l2, T>);
  }
}

}  // namespace quadrille::cuda
