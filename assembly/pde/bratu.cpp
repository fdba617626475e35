// Bratu's problem  -lap u = lambda e^u,  lambda = 6/m^2: nonlinear and steady. On the unit square with u = 0
// around it there are two solutions below lambda = 6.80812 and none above (Glowinski, Keller and Reinhart,
// SIAM J. Sci. Stat. Comput. 6, 1985); Newton's iterations from 0 find the smaller one.
#include <cmath>

#include "assembly/pde/all.hpp"
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

ResidualProblem problem_of(const Grid& grid, const Boundary&, const PdeInput&, const NodeBox& box) {
  return {residual_of(Bratu{}, grid.dof), zeros(box.nodes() * grid.dof), {}};
}

}  // namespace

Pde bratu_pde() {
  return {.name = "bratu",
          .equation = "-lap u = 6 e^u",
          .about = "nonlinear",
          .discretisation = {.star = 1},
          .faces = {BoundaryKind::value, BoundaryKind::drop},
          .order = 0,
          .residual = problem_of,
          .length_m = 1};
}

}  // namespace quadrille
