// CDS on the GPU: y = A x. Source: Godwin, Holewinski, Sadayappan, GPGPU-5 2012, section 3.3.
//
// One thread owns one row: consecutive threads own consecutive rows, so that every column of CDS is read and
// y is written with unit stride, each matrix value once and past the caches. The DoF rows of a node read the
// same x, from the read-only cache. The DoF is a template parameter for 1..8, so that all columns of several
// block diagonals are in flight before the first is used; above 8 it is a run-time number.
//
// Without periodic axes a neighbour is a constant distance away. A node at a side face then reads x of some
// other node and multiplies it by the stored zero. With periodic axes the position is computed and every axis
// wraps by itself.
#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int threads_per_block = 256;
constexpr int max_diagonals =
    128;  // of one launch, more than the 125 points of a 5x5x5 box: kernel arguments are limited

struct Structure {
  std::int64_t nodes, rows;
  int nx, ny, nz;
  bool wraps_x, wraps_y, wraps_z;
  int dof, diagonals;
  bool accumulate;              // y += instead of y =
  int distance[max_diagonals];  // node index difference, where no axis is periodic
  NodeOffset offset[max_diagonals];
};

__device__ int wrap(int i, int n, bool wraps) {
  if (!wraps) return i;
  i %= n;
  return i < 0 ? i + n : i;
}

// The node at block diagonal d of `node`, or -1.
template <bool Periodic>
__device__ std::int64_t neighbour(const Structure& s, std::int64_t node, int x, int y, int z, int d) {
  if constexpr (Periodic) {
    x = wrap(x + s.offset[d].x, s.nx, s.wraps_x);
    y = wrap(y + s.offset[d].y, s.ny, s.wraps_y);
    z = wrap(z + s.offset[d].z, s.nz, s.wraps_z);
    const bool inside = 0 <= x && x < s.nx && 0 <= y && y < s.ny && 0 <= z && z < s.nz;
    return inside ? (static_cast<std::int64_t>(z) * s.ny + y) * s.nx + x : -1;
  }
  const std::int64_t to = node + s.distance[d];
  return 0 <= to && to < s.nodes ? to : -1;
}

// Dof 0: s.dof unknowns per node.
template <class T, int Dof, bool Periodic>
__global__ void __launch_bounds__(threads_per_block)
    cds_kernel(const __grid_constant__ Structure s, const T* __restrict__ values, const T* __restrict__ x,
               T* __restrict__ y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (row >= s.rows) return;
  const int dof = Dof > 0 ? Dof : s.dof;
  const std::int64_t node = row / dof;
  int node_x = 0, node_y = 0, node_z = 0;
  if constexpr (Periodic) {
    const std::int64_t line = node / s.nx;
    node_x = static_cast<int>(node % s.nx);
    node_y = static_cast<int>(line % s.ny);
    node_z = static_cast<int>(line / s.ny);
  }
  constexpr int together = Dof == 0 ? 1 : (Dof >= 4 ? 2 : 8 / Dof);  // block diagonals in flight at once
  const T* column = values + row;
  T sum = s.accumulate ? y[row] : T(0);
#pragma unroll together
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t to = neighbour<Periodic>(s, node, node_x, node_y, node_z, d);
    const T* const xd = x + (to < 0 ? 0 : to * dof);
#pragma unroll
    for (int c = 0; c < dof; ++c) {
      const T value = __ldcs(column);
      column += s.rows;
      sum += to < 0 ? T(0) : value * __ldg(xd + c);
    }
  }
  y[row] = sum;
}

template <class T, bool Periodic>
auto kernel_of(int dof) {
  switch (dof) {
    case 1:
      return cds_kernel<T, 1, Periodic>;
    case 2:
      return cds_kernel<T, 2, Periodic>;
    case 3:
      return cds_kernel<T, 3, Periodic>;
    case 4:
      return cds_kernel<T, 4, Periodic>;
    case 5:
      return cds_kernel<T, 5, Periodic>;
    case 6:
      return cds_kernel<T, 6, Periodic>;
    case 7:
      return cds_kernel<T, 7, Periodic>;
    case 8:
      return cds_kernel<T, 8, Periodic>;
    default:
      return cds_kernel<T, 0, Periodic>;
  }
}

// The structure of diagonals [first, first + max_diagonals).
template <class T>
Structure structure_of(const BlockDiagonals<T, Device>& a, std::int64_t first) {
  Structure s{};
  s.nodes = a.nodes();
  s.rows = a.rows();
  s.nx = to_index32(a.extents[0], "nodes along x");
  s.ny = to_index32(a.extents[1], "nodes along y");
  s.nz = to_index32(a.extents[2], "nodes along z");
  s.wraps_x = a.periodic[0];
  s.wraps_y = a.periodic[1];
  s.wraps_z = a.periodic[2];
  s.dof = a.dof;
  s.diagonals = static_cast<int>(std::min<std::int64_t>(max_diagonals, a.diagonals() - first));
  s.accumulate = first > 0;
  for (int d = 0; d < s.diagonals; ++d) {
    s.offset[d] = a.offsets[first + d];
    const std::int64_t distance = a.linear(s.offset[d]);
    to_index32(std::abs(distance), "nodes between neighbours");
    s.distance[d] = static_cast<int>(distance);
  }
  return s;
}

}  // namespace

template <class T>
void spmv(const BlockDiagonals<T, Device>& a, const T* x, T* y) {
  if (a.rows() == 0) return;
  const std::int64_t blocks = (a.rows() + threads_per_block - 1) / threads_per_block;
  to_index32(blocks, "blocks of rows");
  const bool periodic = a.periodic[0] || a.periodic[1] || a.periodic[2];
  const auto kernel = periodic ? kernel_of<T, true>(a.dof) : kernel_of<T, false>(a.dof);
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const Structure s = structure_of(a, first);
    const T* const values = a.values.data() + first * a.dof * a.rows();
    kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(s, values, x, y);
    QUADRILLE_CUDA_LAUNCHED("cds");
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv(const BlockDiagonals<double, Device>&, const double*, double*);

}  // namespace quadrille::cuda
