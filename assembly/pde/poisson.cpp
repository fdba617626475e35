#include "assembly/pde/poisson.hpp"

#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {

PdePart poisson(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                const NodeBox& box) {
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  const Laplacian coefficients = laplacian(grid, stencil);
  if (!input.manufactured) {
    problem.system = assemble_system(grid, stencil, boundary, input, coefficients, box);
    add_usual_source(grid, box, input, problem.singular, problem.system.rhs);
    return problem;
  }
  const Manufactured solution(grid, boundary);
  problem.system = assemble_system(grid, stencil, solution.with_data(), input, coefficients, box);
  add_source(grid, box, problem.system.rhs,
             [&](const Position& p, int r) { return -solution.at(p, r).laplacian(); });
  problem.exact = solution.values(box);
  return problem;
}

}  // namespace quadrille
