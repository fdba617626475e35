// The few rows that are all of an operator whose coefficients are the same at all nodes but the two next to
// each face (formats/few_rows.hpp): those of the operator on a grid of a few nodes along each axis, which is
// assembled. So they have the bits that they have on the whole grid.
#pragma once

#include <optional>

#include "assembly/stencil_operator.hpp"
#include "formats/few_rows.hpp"

namespace quadrille {

// make(grid): the functor, or residual, on a grid. Nothing where the grid is so small that few rows are all,
// or couples nodes farther than neighbours. Throws as assemble().
template <class Make>
std::optional<FewRows> few_rows_of(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                   const Make& make) {
  const BlockStructure structure = block_structure(grid, stencil, boundary, fill_of(make(grid), grid.dof));
  FewRows rows = few_rows_of(structure);
  if (stencil.radius > 1 || rows.stored.all) return std::nullopt;
  Grid small = grid;
  small.extents = small_extents(rows);
  BlockStructure of_small = block_structure(small, stencil, boundary, structure.fill);
  if (of_small.offsets != structure.offsets) return std::nullopt;
  Array<double> values(value_bytes(of_small, sizeof(double)) / static_cast<std::int64_t>(sizeof(double)));
  refill_box(small, stencil, boundary, make(small), whole_box(small.extents), of_small, values.data(), {});
  take_from_small_grid(values.data(), rows);
  return rows;
}

}  // namespace quadrille
