// A thread owns a row of a node's block, which stands in shared memory as [row][column]; rows begin in
// different banks.
#include "kernels/cuda/invert_blocks.hpp"

#include <algorithm>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

constexpr int most_threads = 128;

int bytes_of_blocks(int dof, int nodes) {
  return nodes * dof * ((dof + 1) * static_cast<int>(sizeof(double)) + static_cast<int>(sizeof(int)));
}
int nodes_of_block(int dof) {
  constexpr int most_bytes = 48 << 10;
  return std::max(1, std::min(most_threads / dof, most_bytes / bytes_of_blocks(dof, 1)));
}

__global__ void __launch_bounds__(most_threads)
    invert_kernel(int dof, std::int64_t nodes, std::int64_t rows, const double* __restrict__ from,
                  double* __restrict__ to, std::int32_t* singular) {
  extern __shared__ double blocks[];
  const int stride = dof + 1, here = blockDim.x / dof, own = threadIdx.x / dof, i = threadIdx.x - own * dof;
  double* const a = blocks + own * dof * stride;
  int* const swapped = reinterpret_cast<int*>(blocks + here * dof * stride) + own * dof;
  const std::int64_t node = static_cast<std::int64_t>(blockIdx.x) * here + own, row = node * dof + i;
  const bool there = node < nodes;
  for (int c = 0; c < dof; ++c) a[i * stride + c] = there ? from[c * rows + row] : 0;
  __syncthreads();
  for (int k = 0; k < dof; ++k) {
    int pivot = k;
    for (int r = k + 1; r < dof; ++r)
      if (fabs(a[r * stride + k]) > fabs(a[pivot * stride + k])) pivot = r;
    const double of_pivot = a[pivot * stride + k];
    __syncthreads();
    if (of_pivot == 0) pivot = k;
    if (i == 0) swapped[k] = pivot;
    if (i == 0 && there && of_pivot == 0 && singular != nullptr) *singular = 1;
    if (const double v = a[k * stride + i]; pivot != k) {
      a[k * stride + i] = a[pivot * stride + i];
      a[pivot * stride + i] = v;
    }
    __syncthreads();
    a[k * stride + i] = of_pivot == 0 ? 0 : (i == k ? 1 : a[k * stride + i]) * (1 / of_pivot);
    __syncthreads();
    if (i != k) {
      const double factor = of_pivot == 0 ? 0 : a[i * stride + k];
      a[i * stride + k] = 0;
      for (int c = 0; c < dof; ++c) a[i * stride + c] -= factor * a[k * stride + c];
    }
    __syncthreads();
  }
  for (int k = dof - 1; k >= 0; --k) {
    const int other = swapped[k];
    const double v = a[i * stride + k];
    a[i * stride + k] = a[i * stride + other];
    a[i * stride + other] = v;
  }
  for (int c = 0; c < dof && there; ++c) to[c * rows + row] = a[i * stride + c];
}

}  // namespace

void invert_blocks(int dof, std::int64_t nodes, std::int64_t rows, const double* blocks, double* inverse,
                   void* stream, std::int32_t* singular) {
  if (nodes == 0) return;
  const int of_block = nodes_of_block(dof);
  invert_kernel<<<blocks_for(nodes, of_block), of_block * dof, bytes_of_blocks(dof, of_block),
                  static_cast<cudaStream_t>(stream)>>>(dof, nodes, rows, blocks, inverse, singular);
  QUADRILLE_CUDA_LAUNCHED("inverting the diagonal blocks");
}

InvertedBlocks inverted_blocks(const BlockDiagonals<double, Device>& a) {
  const std::int64_t centre = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{}) - a.offsets.begin(),
                     size = a.rows() * a.dof;
  InvertedBlocks made;
  made.hub.extents = {a.nodes(), 1, 1};
  made.hub.dof = a.dof;
  made.hub.offsets = {{0, 0, 0}};
  made.hub.values = Array<double, Device>(size);
  Array<std::int32_t, Device> singular(1);
  std::int32_t found = 0;
  memory::copy_to_device(singular.data(), &found, singular.bytes());
  invert_blocks(a.dof, a.nodes(), a.rows(), a.values.data() + centre * size, made.hub.values.data(), nullptr,
                singular.data());
  memory::copy_to_host(&found, singular.data(), singular.bytes());
  made.singular = found != 0;
  return made;
}

}  // namespace quadrille::cuda
