// CDS on the GPU: y = A^T x, by gathering, without atomics.
//
// One thread owns one element (node, c) of y. Along every block diagonal d it looks back to the node that
// couples to its own, and adds up column c of that node's block: consecutive rows of one column of CDS, times
// the x of the same rows. The threads of a warp read a few columns, each in consecutive pieces of `dof` rows;
// the sectors are shared through the first-level cache over the rows of a block.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

template <class T, int Dof, bool Periodic>
__global__ void __launch_bounds__(threads_per_block)
    cds_transpose_kernel(const __grid_constant__ CdsStructure s, const T* __restrict__ values,
                         const T* __restrict__ x, T* __restrict__ y) {
  const std::int64_t i = global_thread();
  if (i >= s.rows) return;
  const int dof = Dof > 0 ? Dof : s.dof;
  const CdsNode node = node_at<Periodic>(s, static_cast<int>(i / dof));
  const int c = static_cast<int>(i - node.index * dof);
  T sum = s.accumulate ? y[i] : T(0);
  constexpr int together = Dof == 0 ? 1 : Dof < 8 ? 8 / Dof : 1;  // block diagonals
#pragma unroll together
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t from = neighbour<Periodic>(s, node, d);
    if (from < 0) continue;
    const T* const a = values + (static_cast<std::int64_t>(d) * dof + c) * s.rows + from * dof;
    const T* const b = x + from * dof;
#pragma unroll
    for (int r = 0; r < dof; ++r) sum += __ldg(a + r) * __ldg(b + r);
  }
  y[i] = sum;
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
  std::int64_t first = 0;
  do {
    const CdsStructure s = structure_of(a, first, true);
    const T* const values = a.values.data() + first * a.dof * a.rows();
    kernel<<<blocks_for(a.rows()), threads_per_block>>>(s, values, x, y);
    QUADRILLE_CUDA_LAUNCHED("cds transposed");
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv_transpose(const BlockDiagonals<float, Device>&, const float*, float*);
template void spmv_transpose(const BlockDiagonals<double, Device>&, const double*, double*);

}  // namespace quadrille::cuda
