// The Galerkin coarse operator P^T A P from products alone, whatever the format of A and wherever it lives.
#pragma once

#include <array>
#include <functional>

#include "formats/block_diagonals.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

// A on the fine grid of `p`, with vectors in the same memory. `radius` is how many coarse nodes away, along each axis, the product
// couples: with an interpolation between every other node (nested_interpolation) and an A that reaches R nodes, galerkin_radius(R).
// One product P^T (A (P x)) for each unknown and colour, that is at least dof (2 radius + 1)^dimension of them, with x one on the
// nodes of the colour, which are too far apart to meet in a row. Throws FormatError where sizes or memories do not agree, and where
// the product couples nodes that are further apart (it is compared with P^T A P on one random vector).
BlockDiagonals<double> galerkin_product(const SpmvOperator<double>& a, const GridTransfer<double>& p,
                                        int radius);

// y = P^T A P x of vectors on the coarse grid: all of it, or a rank's nodes where several take part.
using CoarseProduct = std::function<void(const Array<double>& x, Array<double>& y)>;

// The block diagonals of such a product on the coarse grid.
BlockStructure galerkin_structure(const std::array<std::int64_t, 3>& extents,
                                  const std::array<bool, 3>& periodic, int dof, int radius);
// And their values for `lines` lines of nodes from `first_line` on, [diagonal][column][row of these lines], from products with vectors
// of these lines. Ranks do it together. Throws as galerkin_product().
Array<double> galerkin_values(const BlockStructure& coarse, int radius, std::int64_t first_line,
                              std::int64_t lines, const CoarseProduct& product);

// Around an axis with an odd number of nodes two coarse nodes are fine neighbours, which counts from R = 3 on.
constexpr int galerkin_radius(int radius) {
  return radius <= 1 ? 1 : (radius + 3) / 2;
}

}  // namespace quadrille
