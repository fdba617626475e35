#include "assembly/pde/elasticity_problem.hpp"

#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/manufactured.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

void require_values(const Grid& grid, const Boundary& boundary) {
  for (int face = 0; face < 2 * grid.dimension; ++face)
    for (int r = 0; r < grid.dof; ++r)
      if (const FaceBoundary& here = boundary.of(r)[face]; continues(here))
        throw InputError(
            "boundary '" + to_string(boundary, grid.dimension) +
            "': elasticity is solved with faces of value:X, drop and periodic, not clamp, outflow, " +
            "flux and robin");
}

}  // namespace

PdePart elasticity_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           const PdeInput& input, const NodeBox& box) {
  constexpr double lambda_pa = 1, mu_pa = 1;
  const Elasticity coefficients = elasticity(grid, stencil, lambda_pa, mu_pa);
  require_values(grid, boundary);
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assemble_system(grid, stencil, boundary, input, coefficients, box);
  if (!input.manufactured) {
    add_usual_source(grid, box, input, problem.singular, problem.system.rhs);
    return problem;
  }
  const Manufactured solution(grid, boundary);
  add_source(grid, box, problem.system.rhs, [&](const Position& p, int r) {
    double grad_div = 0;
    for (int c = 0; c < grid.dimension; ++c) {
      const Manufactured::Jet u = solution.at(p, c);
      grad_div += c == r ? u.curvature[r] : u.mixed[3 - r - c];
    }
    return -(mu_pa * solution.at(p, r).laplacian() + (lambda_pa + mu_pa) * grad_div);
  });
  problem.exact = solution.values(box);
  return problem;
}

}  // namespace quadrille
