// Interpolation between two grids that cover the same box, matrix-free: the product of the linear
// interpolations of the axes (grid/axis_interpolation.hpp), the same for every unknown of a node. A matrix P
// of fine rows and coarse columns that is never stored; its transpose restricts.
//
//   (P x)[fine node, r] = sum over the two nodes each of z, y and x of  wz wy wx x[coarse node, r]
//
// Or the products wz wy wx are replaced by weights of their own for every fine row, which follow an operator
// (kernels/multigrid/coarsening_steps.hpp); the tables then only say between which nodes.
#pragma once

#include <array>
#include <cstdint>

#include "formats/array.hpp"
#include "formats/csr.hpp"
#include "formats/format.hpp"
#include "grid/axis_interpolation.hpp"
#include "kernels/output.hpp"
#include "kernels/queue.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct AxisTables {  // as in AxisInterpolation
  Array<std::int32_t, Space> node;
  Array<T, Space> weight;
  Array<std::int32_t, Space> first, reader;
  Array<T, Space> reader_weight;
};

template <class T, class Space = Host>
struct GridInterpolation {
  std::array<std::int64_t, 3> fine{1, 1, 1}, coarse{1, 1, 1};  // nodes along x, y, z
  std::array<bool, 3> periodic{};
  int dof = 1;
  std::array<AxisTables<T, Space>, 3> axes;
  // [corner][fine row], corner: bit 0, 1, 2 for the second node along x, y, z; empty for products.
  Array<T, Space> weights;

  int corners() const { return fine[2] == 1 && coarse[2] == 1 ? 4 : 8; }
  std::int64_t rows() const { return fine[0] * fine[1] * fine[2] * dof; }
  std::int64_t columns() const { return coarse[0] * coarse[1] * coarse[2] * dof; }
};

// Throws InputError for a DoF below 1.
template <class T>
GridInterpolation<T> grid_interpolation(const std::array<AxisInterpolation, 3>& axes, int dof);

template <class To, class T, class From>
GridInterpolation<T, To> copy_to(const GridInterpolation<T, From>& p) {
  GridInterpolation<T, To> result{p.fine, p.coarse, p.periodic, p.dof, {}, copy_to<To>(p.weights)};
  for (int axis = 0; axis < 3; ++axis) {
    const AxisTables<T, From>& from = p.axes[axis];
    result.axes[axis] = {copy_to<To>(from.node), copy_to<To>(from.weight), copy_to<To>(from.first),
                         copy_to<To>(from.reader), copy_to<To>(from.reader_weight)};
  }
  return result;
}

template <class T, class Space>
Traffic traffic(const GridInterpolation<T, Space>& p) {
  Traffic bytes;
  bytes.stored_bytes = p.weights.bytes();
  for (const AxisTables<T, Space>& axis : p.axes)
    bytes.stored_bytes += axis.node.bytes() + axis.weight.bytes() + axis.first.bytes() + axis.reader.bytes() +
                          axis.reader_weight.bytes();
  bytes.read_bytes = bytes.stored_bytes + p.columns() * static_cast<std::int64_t>(sizeof(T));
  bytes.written_bytes = p.rows() * static_cast<std::int64_t>(sizeof(T));
  return bytes;
}

// Throws FormatError past CSR's indices.
template <class T>
Csr<T> to_csr(const GridInterpolation<T>& p);

// P x to an Output: x [coarse row], y [fine row], which do not overlap. The same bits every time. P^T x: x
// [fine row], y [coarse row]. In GPU memory the work is queued; throws CudaError when a launch fails,
// FormatError past 2^31 rows.
namespace cpu {
template <class T>
void interpolate(const GridInterpolation<T>& p, const T* x, Output<T> y);
template <class T>
void restrict_to(const GridInterpolation<T>& p, const T* x, Output<T> y);
}  // namespace cpu
namespace cuda {
template <class T>
void interpolate(Queue queue, const GridInterpolation<T, Device>& p, const T* x, Output<T> y);
template <class T>
void restrict_to(Queue queue, const GridInterpolation<T, Device>& p, const T* x, Output<T> y);
}  // namespace cuda

}  // namespace quadrille
