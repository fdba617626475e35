// Interpolation between grids as an operator, whose transpose restricts. In host or GPU memory.
#pragma once

#include <array>
#include <memory>

#include "formats/block_diagonals.hpp"
#include "grid/axis_interpolation.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

template <class T>
class GridTransfer : public SpmvOperator<T> {  // rows: fine, columns: coarse
 public:
  virtual const std::array<std::int64_t, 3>& coarse_extents() const = 0;
  virtual const std::array<bool, 3>& periodic() const = 0;
  virtual int dof() const = 0;
};

// Tensor product of the interpolations along x, y and z (of one node each in 2D), the same for each of `dof`
// unknowns of a node. Throws InputError (DoF), MemoryError, and CudaError for SpaceKind::cuda in a build
// without CUDA.
template <class T>
std::unique_ptr<GridTransfer<T>> make_grid_transfer(const std::array<AxisInterpolation, 3>& axes, int dof,
                                                    SpaceKind space);

// With weights that are given, [corner][fine row] (kernels/grid_interpolation.hpp). Throws FormatError where
// there are not so many.
std::unique_ptr<GridTransfer<double>> make_weighted_transfer(const std::array<AxisInterpolation, 3>& axes,
                                                             int dof, Array<double> weights, SpaceKind space);

}  // namespace quadrille
