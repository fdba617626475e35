// Linear elasticity  -(mu lap u + (lambda + mu) grad div u) = f  of a homogeneous body, or of one whose moduli
// are fields, -div(lambda div u + mu (grad u + grad u^T)) = f, with the operator of assembly/pde/elasticity.hpp: u is the displacement in m, one unknown per axis, f in N/m^3.
//
// Faces hold values, which may differ between the components of u, or are periodic. Where one clamps or has a
// flux, the differences across the edges of its nodes are not symmetric, and a free surface has tractions,
// which couple the components. Manufactured, each component of u is as in assembly/pde/manufactured.hpp.
#include "assembly/pde/elasticity.hpp"

#include "assembly/pde/all.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

PdePart of_fields(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box, const ParameterFields<2>& fields) {
  const auto of = [&](std::size_t i) {
    return std::span(fields.field(i), static_cast<std::size_t>(fields.nodes()));
  };
  require_lame("elasticity", of(0), of(1));
  ElasticForcesThroughFields forces{fields.field(0), fields.field(1)};
  for (int axis = 0; axis < 3; ++axis) forces.per_h[axis] = 1 / grid.spacing_m[axis];
  forces.places = fields.nodes();
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assemble_system(grid, stencil, boundary, input, forces, box);
  add_usual_source(grid, box, input, problem);
  return problem;
}

PdePart assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box) {
  if (const auto fields = parameter_fields(grid, box, input, std::array{lame_lambda_pa, lame_mu_pa}))
    return of_fields(grid, stencil, boundary, input, box, *fields);
  const double lambda_pa = input.value_of(lame_lambda_pa), mu_pa = input.value_of(lame_mu_pa);
  const Elasticity coefficients = elasticity(grid, stencil, lambda_pa, mu_pa);
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assemble_system(grid, stencil, boundary, input, coefficients, box);
  if (!input.manufactured) {
    add_usual_source(grid, box, input, problem);
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

std::string refuses(const PdeInput& input) {
  return why_not_lame(input.value_of(lame_lambda_pa), input.value_of(lame_mu_pa));
}

}  // namespace

Pde elasticity_pde() {
  return {.name = "elasticity",
          .equation = "-(mu lap u + (lambda + mu) grad div u) = f",
          .about = "of a homogeneous body, small strains",
          .source_units = "N/m3",
          .solution_units = "m",
          .discretisation = elasticity_stencils,
          .faces = faces_of_values(),
          .parameters = {lame_lambda_pa, lame_mu_pa},
          .refuses = refuses,
          .assemble = assembled};
}

}  // namespace quadrille
