#include "assembly/pde/poisson.hpp"

#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {

PdeProblem poisson(const Grid& grid, const Stencil& stencil, const Boundary& boundary, bool manufactured) {
  PdeProblem problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assemble<double>(grid, stencil, boundary, laplacian(grid, stencil));
  if (!manufactured) {
    add_default_source(grid, problem.singular, problem.system.rhs);
    return problem;
  }
  const Manufactured solution(grid, boundary);
  add_source(grid, problem.system.rhs,
             [&](const Position& p, int r) { return -solution.at(p, r).laplacian(); });
  problem.exact = solution.values();
  return problem;
}

}  // namespace quadrille
