// What a rank assembles of a box, beside the operator of the whole grid.
#pragma once

#include <gtest/gtest.h>

#include "assembly/stencil_operator.hpp"

namespace quadrille {

// Bit by bit, the right side where there is one.
inline void expect_part_of(const AssembledBox<double>& whole, const AssembledBox<double>& some,
                           const Grid& grid, const NodeBox& box) {
  const std::int64_t columns = whole.structure.diagonals() * grid.dof, rows = box.nodes() * grid.dof;
  ASSERT_EQ(some.values.size(), columns * rows);
  ASSERT_EQ(some.rhs.empty(), whole.rhs.empty());
  for (std::int64_t i = 0; i < rows; ++i) {
    const NodePosition at = box.first_of_line(i / grid.dof / box.size[0]);
    const std::int64_t row =
        grid.dof * node_index(grid, {at[0] + i / grid.dof % box.size[0], at[1], at[2]}) + i % grid.dof;
    if (!some.rhs.empty()) {
      ASSERT_EQ(some.rhs[i], whole.rhs[row]) << i;
    }
    for (std::int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(some.values[column * rows + i], whole.values[column * grid.rows() + row])
          << column << " " << i;
  }
}

}  // namespace quadrille
