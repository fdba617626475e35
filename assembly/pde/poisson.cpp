// Poisson's equation  -div grad u = f  for every unknown of a node by itself, with the operator and the
// boundary of assembly/pde/laplacian.hpp. u has no units, f is in 1/m^2.
//
// Manufactured: u as in assembly/pde/manufactured.hpp and f = -div grad u. The star of radius 1 and the box
// converge with order 2 on every boundary, also of flux and robin, the star of radius 2 with order 4 on all
// but robin (assembly/pde/laplacian_order4.hpp); wider ones with order 2R on periodic grids only, for their
// closure at faces is of low order.
#include <optional>

#include "assembly/pde/all.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/laplacian_order4.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {
namespace {

PdePart assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box) {
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  std::optional<Manufactured> solution;
  if (input.manufactured) solution.emplace(grid, boundary);
  const Boundary faces = solution ? solution->with_data() : boundary;
  const NodeSource f = [&](const Position& p, int r) {
    return solution ? -solution->at(p, r).laplacian()
                    : usual_source(grid, input, problem.singular, node_index(grid, p), r);
  };
  if (closes_with_order4(grid, stencil, boundary)) {
    const LaplacianOfOrder4 coefficients = laplacian_of_order4(grid, stencil, boundary);
    problem.system = assemble_system(grid, stencil, faces, input, coefficients, box);
    add_source(grid, box, problem.system.rhs, f);
    add_faces_of_order4(coefficients, grid, faces, f, box, problem.system.rhs);
  } else {
    problem.system = assemble_uniform_system(
        grid, stencil, faces, input, [&](const Grid& of) { return laplacian(of, stencil); }, box);
    if (solution)
      add_source(grid, box, problem.system.rhs, f);
    else
      add_usual_source(grid, box, input, problem);
  }
  if (solution) problem.exact = solution->values(box);
  return problem;
}

}  // namespace

Pde poisson_pde() {
  return {.name = "poisson",
          .equation = "-div grad u = f",
          .source_units = "1/m2",
          .discretisation = laplacian_stencils,
          .assemble = assembled,
          .uniform = true};
}

}  // namespace quadrille
