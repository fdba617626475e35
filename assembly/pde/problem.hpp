// A discretised PDE, ready to be solved: A u = rhs on the nodes of a grid.
#pragma once

#include <vector>

#include "assembly/stencil_operator.hpp"

namespace quadrille {

struct PdeProblem {
  AssembledOperator<double> system;  // its rhs is complete: the source and the constants beyond faces
  std::vector<double> exact;         // [row], of a manufactured problem; else empty
  bool singular = false;             // A maps constants to zero, those of each unknown of a node by itself
};

// The same of some lines of nodes.
struct PdeLines {
  AssembledLines<double> system;
  std::vector<double> exact;  // [row of these lines]
  bool singular = false;
};

// Whether no face fixes a value: all of them are periodic or clamp.
bool fixes_no_value(const Grid& grid, const Boundary& boundary);

// Adds source(position, r) to every row of the right side of some lines.
template <class Source>
void add_source(const Grid& grid, const LineRange& lines, std::vector<double>& rhs, const Source& source) {
  const std::int64_t first = lines.first * grid.extents[0], count = lines.count * grid.extents[0];
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < count; ++node) {
    const Position p = node_position(grid, first + node);
    for (int r = 0; r < grid.dof; ++r) rhs[node * grid.dof + r] += source(p, r);
  }
}

// The source of a problem that is not manufactured: 1 everywhere or, where the mean of the right side must vanish, 1 in the
// lower half of the grid along x and -1 in the upper.
void add_default_source(const Grid& grid, const LineRange& lines, bool singular, std::vector<double>& rhs);

}  // namespace quadrille
