// CDS on the GPU: y = A^T x, by gathering, without atomics: the same bits every time.
//
// One thread owns row r of a few nodes of the result, not elements of the result. Along every block diagonal
// it looks back to the nodes that couple to its own and reads row r of their columns: consecutive threads
// read consecutive rows of every column, and of x, as in the direct product. It keeps one partial sum per
// column of the block; at the end the partial sums of the rows of a node meet in shared memory, where the
// thread of (node, c) adds up column c. A block holds whole nodes, so that the nodes of a thread are equally
// far apart in every thread. Columns go in groups of at most ten; above 64 DoF a thread per element of the
// result reads columns downwards.
#include <array>
#include <utility>

#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int most_instances = 64;

constexpr int divided_up(int n, int by) {
  return (n + by - 1) / by;
}

// Of the kernel for one DoF: blocks of about 256 threads, columns that mostly begin at whole sectors, and the
// fastest of the measured shares.
template <class T, int Dof>
struct Plan {
  static constexpr int block_nodes = Dof == 1 ? 256 : Dof > 32 ? 4 : 256 / Dof / 8 * 8;  // times `nodes`
  static constexpr int threads = block_nodes * Dof;
  static constexpr int nodes =
      sizeof(T) == 4 && (Dof == 1 || Dof == 3 || Dof == 5 || (Dof > 13 && Dof % 2 == 1)) ? 4
                                                                                         : 2;  // of a thread
  static constexpr int loads = 16;                                                             // in flight
  static constexpr int columns = divided_up(Dof, divided_up(Dof, Dof <= 10 ? 10 : 8));  // of a block at once
  static constexpr int diagonals =
      columns < Dof || columns * nodes >= loads ? 1 : loads / (columns * nodes);  // at once
};

template <class T, int Dof>
__global__ void __launch_bounds__(Plan<T, Dof>::threads)
    cds_transpose_kernel(const __grid_constant__ CdsStructure<max_diagonals> s, const T* __restrict__ values,
                         const T* __restrict__ x, Output<T> y) {
  using P = Plan<T, Dof>;
  __shared__ T partial[P::columns][P::threads + 1];  // [column][row]
  const int local = threadIdx.x, r = local % Dof;
  const std::int64_t block_node = static_cast<std::int64_t>(blockIdx.x) * (P::block_nodes * P::nodes);
  const std::int64_t row = block_node * Dof + local;
  const int node = static_cast<int>(block_node) + local / Dof;
  const unsigned near = careful_axes<P::nodes>(s, node, P::block_nodes);
#pragma unroll 1
  for (int first = 0; first < Dof; first += P::columns) {
    T sum[P::columns][P::nodes] = {};
    const T* column = values + first * s.rows;
    for (int d = 0; d < s.diagonals; d += P::diagonals) {
      T a[P::diagonals][P::columns][P::nodes], b[P::diagonals][P::nodes];
#pragma unroll
      for (int j = 0; j < P::diagonals; ++j)
        if (d + j < s.diagonals) {
          if ((near & s.axes[d + j]) == 0) {
            const std::int64_t from = row + s.step[d + j];
            const T* p = column + from;
#pragma unroll
            for (int c = 0; c < P::columns; ++c)
              if (first + c < Dof) {
#pragma unroll
                for (int n = 0; n < P::nodes; ++n) a[j][c][n] = __ldcs(p + n * P::threads);
                p += s.rows;
              }
#pragma unroll
            for (int n = 0; n < P::nodes; ++n) b[j][n] = __ldg(x + from + n * P::threads);
          } else {
#pragma unroll
            for (int n = 0; n < P::nodes; ++n) {
              const bool there = row + n * P::threads < s.rows;
              const std::int64_t to = there ? neighbour(s, node + n * P::block_nodes, d + j) : -1;
              const std::int64_t from = to * Dof + r;
#pragma unroll
              for (int c = 0; c < P::columns; ++c)
                if (first + c < Dof) a[j][c][n] = to >= 0 ? __ldcs(column + c * s.rows + from) : T(0);
              b[j][n] = to >= 0 ? __ldg(x + from) : T(0);
            }
          }
          column += Dof * s.rows;
        }
#pragma unroll
      for (int j = 0; j < P::diagonals; ++j)
#pragma unroll
        for (int c = 0; c < P::columns; ++c)
          if (d + j < s.diagonals && first + c < Dof)
#pragma unroll
            for (int n = 0; n < P::nodes; ++n) sum[c][n] += a[j][c][n] * b[j][n];
    }
#pragma unroll
    for (int n = 0; n < P::nodes; ++n) {
      const std::int64_t to = row + n * P::threads;
      T total = 0;
      if constexpr (Dof == 1) {
        total = sum[0][n];
      } else {
#pragma unroll
        for (int c = 0; c < P::columns; ++c) partial[c][local] = sum[c][n];
        __syncthreads();
        if (first <= r && r < first + P::columns)
#pragma unroll 8
          for (int i = 0; i < Dof; ++i) total += partial[r - first][local - r + i];
        __syncthreads();
      }
      if (first <= r && r < first + P::columns && to < s.rows) y.put(to, total);
    }
  }
}

// Any DoF: a thread owns an element of the result.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    cds_transpose_row_kernel(const __grid_constant__ CdsStructure<max_diagonals> s,
                             const T* __restrict__ values, const T* __restrict__ x, Output<T> y) {
  const std::int64_t row = global_thread();
  if (row >= s.rows) return;
  const int node = static_cast<int>(row / s.dof), c = static_cast<int>(row % s.dof);
  T sum = 0;
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t from = neighbour(s, node, d) * s.dof;
    if (from < 0) continue;
    const T* const column = values + (static_cast<std::int64_t>(d) * s.dof + c) * s.rows;
#pragma unroll 8
    for (int r = 0; r < s.dof; ++r) sum += __ldcs(column + from + r) * __ldg(x + from + r);
  }
  y.put(row, sum);
}

template <class T>
struct CdsKernel {
  void (*run)(CdsStructure<max_diagonals>, const T*, const T*, Output<T>);
  int threads, block_rows;
};

template <class T, int... Less>
CdsKernel<T> kernel_of(int dof, std::integer_sequence<int, Less...>) {
  static constexpr std::array<CdsKernel<T>, sizeof...(Less)> kernels = {
      CdsKernel<T>{cds_transpose_kernel<T, Less + 1>, Plan<T, Less + 1>::threads,
                   Plan<T, Less + 1>::threads * Plan<T, Less + 1>::nodes}...};
  return kernels[dof - 1];
}

}  // namespace

template <class T>
void spmv_transpose(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows() == 0) return;
  const CdsKernel<T> kernel =
      a.dof <= most_instances
          ? kernel_of<T>(a.dof, std::make_integer_sequence<int, most_instances>())
          : CdsKernel<T>{cds_transpose_row_kernel<T>, threads_per_block, threads_per_block};
  const auto blocks = static_cast<unsigned>(
      to_index32((a.rows() + kernel.block_rows - 1) / kernel.block_rows, "blocks of rows"));
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const auto s = structure_of(a, first, true);
    kernel.run<<<blocks, kernel.threads, 0, stream_of(on)>>>(s, a.values.data() + first * a.dof * a.rows(), x,
                                                             y);
    QUADRILLE_CUDA_LAUNCHED("cds transposed");
    y = y.more();
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv_transpose(const Execution&, const BlockDiagonals<float, Device>&, const float*,
                             Output<float>);
template void spmv_transpose(const Execution&, const BlockDiagonals<double, Device>&, const double*,
                             Output<double>);

}  // namespace quadrille::cuda
