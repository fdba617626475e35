// CDS on the GPU: y = A x. Source: Godwin, Holewinski, Sadayappan, GPGPU-5 2012, section 3.3.
//
// One thread owns 16 bytes of y: two consecutive rows in fp64, four in fp32. So every column of CDS is read,
// and y is written, with unit stride in 16-byte loads, each matrix value once and past the caches. The rows
// of a node read the same x, from the read-only cache: a thread loads it once for each of the one or two
// nodes that its rows belong to (one unknown: two or four nodes). Four or eight loads of the matrix are
// issued before the first is used. That needs the DoF at compile time: there is an instance for each of
// 1..32, and a plain kernel for more.
//
// Boxes and small operators of one unknown per node go to cds_one.cu.
//
// Where the number of rows is no multiple of a thread's, columns do not begin at a multiple of 16 bytes. In
// fp64 a thread then owns one row. In fp32 a column that begins `shift` values behind such a place is read
// from there, `shift` rows early, and the values move down by as many rows through the warp's shuffles; 31 of
// its 32 lanes then own rows, and the last rows, whose warp would read past the array, are left to the first
// block, one row a thread. No branch may stand around a load of the matrix: the moves at its end would wait
// for that load. Measured on an H200: results/README.md.
#include <array>
#include <utility>

#include "kernels/cuda/cds_one.hpp"
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int most_instances = 32;
constexpr int small_instances = 4;  // with few diagonals: small operators, whose launch shows
constexpr int block_threads = 128;

constexpr int divided_up(int n, int by) {
  return (n + by - 1) / by;
}

// Of the kernel for one DoF: what a thread owns, and what it loads before the first use. Odd: columns begin
// at any value.
template <class T, int Dof, bool Odd>
struct Plan {
  static constexpr int rows = Odd && sizeof(T) == 8 ? 1 : 16 / sizeof(T);  // of a thread
  static constexpr bool shifts = Odd && rows > 1;
  static constexpr int lanes = shifts ? 31 : 32;  // of a warp, that own rows
  static constexpr int block_rows = block_threads / 32 * lanes * rows;
  static constexpr bool whole = rows % Dof == 0;  // a thread's rows are whole nodes
  static constexpr int nodes = whole ? rows / Dof : Dof % rows == 0 ? 1 : 2;  // they belong to
  // in flight
  static constexpr int loads = rows == 1  ? (Dof == 3              ? 12
                                             : Dof < 6 || Dof > 11 ? 8
                                                                   : 16)
                               : Dof <= 3 ? 4
                                          : (nodes == 2 && sizeof(T) == 8 ? 7 : 8);
  static constexpr int columns = divided_up(Dof, divided_up(Dof, loads));  // of a block at once
  static constexpr int diagonals = columns < Dof ? 1 : loads / columns;    // at once
  static constexpr int unrolled = Dof <= 8 || shifts ? Dof : 1;            // groups of columns
  // on a multiprocessor at least: bounds the registers
  static constexpr int blocks = Dof == 1 ? 8 : loads == 4 || rows == 1 ? 1 : 6;
};

// The rows from `shift` on, of this lane and the next one.
template <class T, int Rows>
__device__ void move_down(T (&v)[Rows], unsigned shift) {
  T all[2 * Rows];
#pragma unroll
  for (int i = 0; i < Rows; ++i) all[i] = v[i], all[Rows + i] = v[i];
#pragma unroll
  for (int i = 0; i < Rows - 1; ++i) all[Rows + i] = __shfl_down_sync(full_warp, v[i], 1);
#pragma unroll
  for (int bit = Rows / 2; bit > 0; bit /= 2)
#pragma unroll
    for (int i = 0; i < 2 * Rows - 1 - bit; ++i) all[i] = shift & bit ? all[i + bit] : all[i];
#pragma unroll
  for (int i = 0; i < Rows; ++i) v[i] = all[i];
}

// One row by itself; Dof 0 takes s.dof.
template <int Dof, int Capacity, class T>
__device__ T row_sum(const CdsStructure<Capacity>& s, const T* __restrict__ values, const T* __restrict__ x,
                     std::int64_t row) {
  const int dof = Dof > 0 ? Dof : s.dof, node = static_cast<int>(row / dof);
  T sum = 0;
#pragma unroll(Dof > 0 && Dof < 8 ? 8 / Dof : 1)
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t to = neighbour(s, node, d);
#pragma unroll 8
    for (int c = 0; c < dof; ++c)
      sum += __ldcs(values + (static_cast<std::int64_t>(d) * dof + c) * s.rows + row) *
             (to >= 0 ? __ldg(x + to * dof + c) : T(0));
  }
  return sum;
}

// x at diagonal d for the nodes of a thread, columns first.. of the block.
template <class P, int Dof, int Capacity, class T>
__device__ void load_x(const CdsStructure<Capacity>& s, const T* __restrict__ x, int node, unsigned near,
                       int d, int first, T (&b)[P::columns][P::nodes]) {
  if ((near & s.axes[d]) == 0) {
    const T* const from = x + (static_cast<std::int64_t>(node) * Dof + s.step[d] + first);
    if constexpr (P::whole && P::rows > 1) {
      if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
        T all[P::rows];
        unpack(__ldg(reinterpret_cast<const VectorOf<T, P::rows>*>(from)), all);
#pragma unroll
        for (int i = 0; i < P::rows; ++i) b[i % Dof][i / Dof] = all[i];
        return;
      }
    }
#pragma unroll
    for (int n = 0; n < P::nodes; ++n)
#pragma unroll
      for (int c = 0; c < P::columns; ++c)
        if (first + c < Dof) b[c][n] = __ldg(from + n * Dof + c);
  } else {
#pragma unroll
    for (int n = 0; n < P::nodes; ++n) {
      const std::int64_t to = node + n < s.nodes ? neighbour(s, node + n, d) : -1;
#pragma unroll
      for (int c = 0; c < P::columns; ++c)
        if (first + c < Dof) b[c][n] = to >= 0 ? __ldg(x + to * Dof + first + c) : T(0);
    }
  }
}

template <class T, int Dof, bool Odd, int Capacity>
__global__ void __launch_bounds__(block_threads, (Plan<T, Dof, Odd>::blocks))
    cds_kernel(const __grid_constant__ CdsStructure<Capacity> s, const T* __restrict__ values,
               const T* __restrict__ x, Output<T> y) {
  using P = Plan<T, Dof, Odd>;
  constexpr int warp_loads = 32 * P::rows, warp_owns = P::lanes * P::rows;  // rows
  if (P::shifts && blockIdx.x == 0) {  // the rows after the last whole warp
    const std::int64_t warps = s.rows < warp_loads ? 0 : (s.rows - warp_loads) / warp_owns + 1;
    const std::int64_t row = warps * warp_owns + threadIdx.x;
    if (row < s.rows) y.put(row, row_sum<Dof>(s, values, x, row));
    return;
  }
  const std::int64_t block_row = static_cast<std::int64_t>(blockIdx.x - (P::shifts ? 1 : 0)) * P::block_rows;
  const int warp_row = threadIdx.x / 32 * warp_owns, lane = threadIdx.x % 32,
            local = warp_row + lane * P::rows;
  const std::int64_t row = block_row + local;
  if (P::shifts ? block_row + warp_row + warp_loads > s.rows : row >= s.rows) return;
  const std::int64_t block_node = block_row / Dof;
  const unsigned behind = static_cast<unsigned>(block_row - block_node * Dof) + local;
  const int node = static_cast<int>(block_node) + behind / Dof, r = behind % Dof;
  const unsigned near = careful_axes<P::nodes>(s, node, 1);
  T sum[P::rows] = {};

  const T* column = values + row;
  const unsigned slope = static_cast<unsigned>(s.rows % P::rows);  // from a column's shift to the next one's
  unsigned shift = 0;
  for (int d = 0; d < s.diagonals; d += P::diagonals)
#pragma unroll(P::unrolled)
    for (int first = 0; first < Dof; first += P::columns) {
      T a[P::diagonals][P::columns][P::rows], b[P::diagonals][P::columns][P::nodes];
      unsigned shift_of = shift;
#pragma unroll
      for (int j = 0; j < P::diagonals; ++j)
#pragma unroll
        for (int c = 0; c < P::columns; ++c)
          if (d + j < s.diagonals && first + c < Dof) {
            load_rows(P::shifts ? column - shift : column, a[j][c]);
            column += s.rows;
            shift = (shift + slope) % P::rows;
          }
#pragma unroll
      for (int j = 0; j < P::diagonals; ++j)
        if (d + j < s.diagonals) load_x<P, Dof>(s, x, node, near, d + j, first, b[j]);
#pragma unroll
      for (int j = 0; j < P::diagonals; ++j)
#pragma unroll
        for (int c = 0; c < P::columns; ++c)
          if (d + j < s.diagonals && first + c < Dof) {
            if constexpr (P::shifts) move_down(a[j][c], shift_of);
            shift_of = (shift_of + slope) % P::rows;
#pragma unroll
            for (int w = 0; w < P::rows; ++w) {
              const bool second = !P::whole && P::nodes == 2 && r + w >= Dof;
              sum[w] += a[j][c][w] * (second ? b[j][c][P::nodes - 1] : b[j][c][P::whole ? w / Dof : 0]);
            }
          }
    }
  if (lane >= P::lanes) return;
  if constexpr (P::rows > 1) {
    if (!Odd && reinterpret_cast<std::uintptr_t>(y.to) % 16 == 0) {
#pragma unroll
      for (int w = 0; w < P::rows; ++w) sum[w] = y.value(row + w, sum[w]);
      *reinterpret_cast<VectorOf<T, P::rows>*>(y.to + row) = pack(sum);
      return;
    }
  }
#pragma unroll
  for (int w = 0; w < P::rows; ++w) y.put(row + w, sum[w]);
}

// Any DoF and alignment: a thread owns a row.
template <class T, int Capacity>
__global__ void __launch_bounds__(block_threads)
    cds_row_kernel(const __grid_constant__ CdsStructure<Capacity> s, const T* __restrict__ values,
                   const T* __restrict__ x, Output<T> y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (row < s.rows) y.put(row, row_sum<0>(s, values, x, row));
}

template <class T, int Capacity>
struct CdsKernel {
  void (*run)(CdsStructure<Capacity>, const T*, const T*, Output<T>);
  int block_rows, first_block;
};

template <class T, int Capacity, int Dof>
CdsKernel<T, Capacity> kernel_for(bool odd) {
  if constexpr (Dof % Plan<T, Dof, false>::rows != 0)  // else rows are never odd
    if (odd)
      return {cds_kernel<T, Dof, true, Capacity>, Plan<T, Dof, true>::block_rows,
              Plan<T, Dof, true>::shifts ? 1 : 0};
  return {cds_kernel<T, Dof, false, Capacity>, Plan<T, Dof, false>::block_rows, 0};
}

template <class T, int Capacity, int... Less>
CdsKernel<T, Capacity> kernel_of(int dof, bool odd, std::integer_sequence<int, Less...>) {
  static constexpr std::array<CdsKernel<T, Capacity> (*)(bool), sizeof...(Less)> kernels = {
      kernel_for<T, Capacity, Less + 1>...};
  return kernels[dof - 1](odd);
}

// With the instances for 1..Instances unknowns.
template <int Capacity, int Instances, class T>
void launch(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  const bool instance = a.dof <= Instances && reinterpret_cast<std::uintptr_t>(a.values.data()) % 16 == 0;
  const bool odd = a.rows() % Plan<T, 1, false>::rows != 0;
  const auto kernel = instance
                          ? kernel_of<T, Capacity>(a.dof, odd, std::make_integer_sequence<int, Instances>())
                          : CdsKernel<T, Capacity>{cds_row_kernel<T, Capacity>, block_threads, 0};
  const std::int64_t blocks = kernel.first_block + (a.rows() + kernel.block_rows - 1) / kernel.block_rows;
  to_index32(blocks, "blocks of rows");
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const auto s = structure_of<Capacity>(a, first, false);
    kernel.run<<<static_cast<unsigned>(blocks), block_threads, 0, stream_of(on)>>>(
        s, a.values.data() + first * a.dof * a.rows(), x, y);
    QUADRILLE_CUDA_LAUNCHED("cds");
    y = y.more();
    first += Capacity;
  } while (first < a.diagonals());
}

}  // namespace

template <class T>
void spmv(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows() == 0 || spmv_of_one(on, a, x, y)) return;
  if (a.dof <= small_instances && a.diagonals() <= few_diagonals)
    launch<few_diagonals, small_instances>(on, a, x, y);
  else
    launch<max_diagonals, most_instances>(on, a, x, y);
}

template void spmv(const Execution&, const BlockDiagonals<float, Device>&, const float*, Output<float>);
template void spmv(const Execution&, const BlockDiagonals<double, Device>&, const double*, Output<double>);

}  // namespace quadrille::cuda
