// Bratu's problem  -lap u = lambda e^u,  lambda = 6/m^2: nonlinear and steady. On the unit square with u = 0
// around it there are two solutions below lambda = 6.80812 and none above (Glowinski, Keller and Reinhart,
// SIAM J. Sci. Stat. Comput. 6, 1985); Newton's iterations from 0 find the smaller one.
//
// Manufactured: u = M of assembly/pde/manufactured.hpp, by f = -lap M - lambda e^M beside lambda e^u, for
// faces that hold 0. M is below 0.2 there (of unknown r, 1 + r times that): the smaller one of two.
#include <cmath>

#include "assembly/pde/all.hpp"
#include "assembly/pde/fading_source.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

struct Bratu {
  double lambda = 6;

  constexpr auto operator()(const auto& u, int r) const {
    using std::exp;
    return -u.laplacian(r) - lambda * exp(u(r));
  }
};

ResidualProblem manufactured(const Grid& grid, const Boundary& boundary, const NodeBox& box) {
  require_no_data(grid, boundary, "bratu");
  const Bratu bratu;
  const Manufactured solution(grid, boundary);
  ResidualProblem problem;
  problem.residual = residual_with_source(bratu, grid, box, [&](const Position& p, int r) {
    const Manufactured::Jet m = solution.at(p, r);
    return std::array{-m.laplacian() - bratu.lambda * std::exp(m.u), 0.0, 0.0};
  });
  problem.initial = zeros(box.nodes() * grid.dof);
  problem.exact = fading(solution.values(box), 0);
  return problem;
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  if (input.manufactured) return manufactured(grid, boundary, box);
  return {residual_of(Bratu{}, grid.dof), zeros(box.nodes() * grid.dof), {}};
}

}  // namespace

Pde bratu_pde() {
  return {.name = "bratu",
          .equation = "-lap u = 6 e^u",
          .about = "nonlinear",
          .discretisation = {.star = 1},
          .faces = {BoundaryKind::value, BoundaryKind::drop},
          .residual = problem_of,
          .length_m = 1};
}

}  // namespace quadrille
