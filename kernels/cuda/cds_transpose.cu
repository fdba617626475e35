// CDS on the GPU: y = A^T x, by gathering, without atomics: the same bits every time.
//
// One thread owns one row (node, r) of the result's node, not one element of the result. Along every block diagonal it looks
// back to the node that couples to its own and reads row r of that node's columns: consecutive threads read consecutive
// rows of every column, and of x, as in the direct product. It keeps one partial sum per column of the block; at the end
// the partial sums of the rows of a node meet in shared memory, where the thread of (node, c) adds up column c. A block holds
// whole nodes. Above 8 DoF the columns go in groups of eight.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int values_in_flight = 8;

template <class T, int Dof, bool Periodic>
__global__ void __launch_bounds__(threads_per_block)
    cds_transpose_kernel(const __grid_constant__ CdsStructure s, const T* __restrict__ values,
                         const T* __restrict__ x, T* __restrict__ y) {
  constexpr int columns = Dof > 0 ? Dof : values_in_flight;  // of a block at once
  constexpr int diagonals = columns < values_in_flight ? values_in_flight / columns : 1;  // at once
  __shared__ T partial[columns][threads_per_block + 1];                                   // [column][row]
  const int dof = Dof > 0 ? Dof : s.dof;
  const int nodes_per_block = threads_per_block / dof, local = threadIdx.x, r = local % dof;
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * nodes_per_block + local / dof;
  const bool active = local < nodes_per_block * dof && index < s.nodes;
  const CdsNode node = node_at<Periodic>(s, static_cast<int>(active ? index : 0));

  for (int first = 0; first < dof; first += columns) {
    T sum[columns] = {};
    for (int d = 0; active && d < s.diagonals; d += diagonals) {
      T a[diagonals][columns], b[diagonals];
#pragma unroll
      for (int j = 0; j < diagonals; ++j) {
        const std::int64_t from = d + j < s.diagonals ? neighbour<Periodic>(s, node, d + j) : -1;
        const std::int64_t row = from * dof + r;
        b[j] = from >= 0 ? __ldg(x + row) : T(0);
#pragma unroll
        for (int c = 0; c < columns; ++c)
          a[j][c] = from >= 0 && (Dof > 0 || first + c < dof)
                        ? __ldcs(values + (static_cast<std::int64_t>(d + j) * dof + first + c) * s.rows + row)
                        : T(0);
      }
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int c = 0; c < columns; ++c) sum[c] += a[j][c] * b[j];
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) partial[c][local] = sum[c];
    __syncthreads();
    if (active && first <= r && r < first + columns) {
      T total = s.accumulate ? y[index * dof + r] : T(0);
      for (int i = 0; i < dof; ++i) total += partial[r - first][local - r + i];
      y[index * dof + r] = total;
    }
    __syncthreads();
  }
}

template <class T>
using CdsKernel = void (*)(CdsStructure, const T*, const T*, T*);

template <class T, bool Periodic>
CdsKernel<T> kernel_of(int dof) {
  static constexpr CdsKernel<T> kernels[] = {
      cds_transpose_kernel<T, 0, Periodic>, cds_transpose_kernel<T, 1, Periodic>,
      cds_transpose_kernel<T, 2, Periodic>, cds_transpose_kernel<T, 3, Periodic>,
      cds_transpose_kernel<T, 4, Periodic>, cds_transpose_kernel<T, 5, Periodic>,
      cds_transpose_kernel<T, 6, Periodic>, cds_transpose_kernel<T, 7, Periodic>,
      cds_transpose_kernel<T, 8, Periodic>};
  return kernels[dof <= 8 ? dof : 0];
}

}  // namespace

template <class T>
void spmv_transpose(const BlockDiagonals<T, Device>& a, const T* x, T* y) {
  if (a.rows() == 0) return;
  const bool periodic = a.periodic[0] || a.periodic[1] || a.periodic[2];
  const CdsKernel<T> kernel = periodic ? kernel_of<T, true>(a.dof) : kernel_of<T, false>(a.dof);
  const std::int64_t nodes_per_block = threads_per_block / a.dof;
  const std::int64_t blocks = (a.nodes() + nodes_per_block - 1) / nodes_per_block;
  to_index32(blocks, "blocks of nodes");
  std::int64_t first = 0;
  do {
    const CdsStructure s = structure_of(a, first, true);
    const T* const values = a.values.data() + first * a.dof * a.rows();
    kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(s, values, x, y);
    QUADRILLE_CUDA_LAUNCHED("cds transposed");
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv_transpose(const BlockDiagonals<float, Device>&, const float*, float*);
template void spmv_transpose(const BlockDiagonals<double, Device>&, const double*, double*);

}  // namespace quadrille::cuda
