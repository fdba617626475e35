// A PDE on its whole grid, in one piece.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assembly/pdes.hpp"

namespace quadrille {

struct PdeProblem {
  AssembledOperator<double> system;
  std::vector<double> exact;  // [row], of a manufactured problem; else empty
  bool singular = false;
};

inline PdeProblem assemble_whole_pde(const std::string& name, const Grid& grid, const Stencil& stencil,
                                     const Boundary& boundary, const PdeInput& input) {
  PdePart all = assemble_pde(name, grid, stencil, boundary, input, whole_box(grid.extents));
  PdeProblem problem;
  static_cast<BlockStructure&>(problem.system.hub) = std::move(all.system.structure);
  problem.system.hub.values = std::move(all.system.values);
  problem.system.rhs = std::move(all.system.rhs);
  problem.system.stencil = describe(stencil);
  problem.exact = std::move(all.exact);
  problem.singular = all.singular;
  return problem;
}

}  // namespace quadrille
