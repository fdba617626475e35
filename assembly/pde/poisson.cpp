#include "assembly/pde/poisson.hpp"

#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {

PdeLines poisson(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                 const LineRange& lines) {
  PdeLines problem;
  problem.singular = fixes_no_value(grid, boundary);
  const Laplacian coefficients = laplacian(grid, stencil);
  if (!input.manufactured) {
    problem.system = assemble_lines<double>(grid, stencil, boundary, coefficients, lines);
    add_usual_source(grid, lines, input, problem.singular, problem.system.rhs);
    return problem;
  }
  const Manufactured solution(grid, boundary);
  problem.system = assemble_lines<double>(grid, stencil, solution.with_data(), coefficients, lines);
  add_source(grid, lines, problem.system.rhs,
             [&](const Position& p, int r) { return -solution.at(p, r).laplacian(); });
  problem.exact = solution.values(lines);
  return problem;
}

}  // namespace quadrille
