// Poisson's equation  -div grad u = f  for every unknown of a node by itself, with the operator and the
// boundary of assembly/pde/laplacian.hpp. u has no units, f is in 1/m^2.
//
// Manufactured: u as in assembly/pde/manufactured.hpp and f = -div grad u. The star of radius 1 and the box
// converge with order 2 on every boundary, also of flux and robin; wider stars with order 2R on periodic
// grids only, for their closure at faces is of low order.
#include "assembly/pde/all.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {
namespace {

PdePart assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box) {
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  const Laplacian coefficients = laplacian(grid, stencil);
  if (!input.manufactured) {
    problem.system = assemble_system(grid, stencil, boundary, input, coefficients, box);
    add_usual_source(grid, box, input, problem);
    return problem;
  }
  const Manufactured solution(grid, boundary);
  problem.system = assemble_system(grid, stencil, solution.with_data(), input, coefficients, box);
  add_source(grid, box, problem.system.rhs,
             [&](const Position& p, int r) { return -solution.at(p, r).laplacian(); });
  problem.exact = solution.values(box);
  return problem;
}

}  // namespace

Pde poisson_pde() {
  return {.name = "poisson",
          .equation = "-div grad u = f",
          .source_units = "1/m2",
          .discretisation = laplacian_stencils,
          .assemble = assembled};
}

}  // namespace quadrille
