// Two phases that part, in conserved amounts (Cahn and Hilliard, J. Chem. Phys. 28, 1958), of order 4 as two
// of order 2:
//
//   c_t = lap mu,   mu = c^3 - c - e^2 lap c
//
// with c from -1 to 1, a mobility of 1 m^2/s, and what is between the phases about e wide. At first c is 0.1
// times noise of the seed, of cells 2 e wide: what is narrower would fade at once, in steps of h^4/e^2. The
// mean of c stays, and the energy, the mean of (c^2 - 1)^2/4 + e^2 |grad c|^2/2, falls.
//
// Manufactured: c = e^-t C, mu = e^-t N with C = 1 + M and N = M of assembly/pde/manufactured.hpp, M being
// that of either unknown, and with
//
//   c_t = lap mu + f_c,                    f_c  = e^-t (-C - lap N)
//   mu = c^3 - c - e^2 lap c + f_mu,       f_mu = e^-t (N + C + e^2 lap C) - e^-3t C^3
//
// Until 0.5 s c is above 1/sqrt(3), where phases do not part and small errors fade, whatever e is.
#include "assembly/pde/all.hpp"
#include "assembly/pde/fading_source.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/residual_of.hpp"
#include "assembly/pde/smooth_noise.hpp"

namespace quadrille {
namespace {

constexpr PdeParameter width_m{.name = "e",
                               .usual = 0.02,
                               .units = "m",
                               .about = "width of what is between the phases",
                               .least = 0,
                               .above_least = true};

struct CahnHilliard {
  double e2;

  static constexpr bool couples(bool centre, int r, int c) { return centre || r != c; }
  static constexpr bool has_constants() { return true; }
  constexpr auto operator()(const auto& u, int r) const {
    return r == 0 ? u.rate(0) - u.laplacian(1) : u(1) - (u(0) * u(0) * u(0) - u(0)) + e2 * u.laplacian(0);
  }
};

ResidualProblem manufactured(const CahnHilliard& f, const Grid& grid, const Boundary& boundary,
                             const NodeBox& box) {
  const Manufactured solution(grid, boundary);
  ResidualProblem problem;
  problem.residual = residual_with_source(f, grid, box, [&](const Position& p, int r) {
    const Manufactured::Jet m = solution.at(p, 0), mu = solution.at(p, 1);
    const double c = 1 + m.u;
    return r == 0 ? std::array{0.0, -c - mu.laplacian(), 0.0}
                  : std::array{0.0, mu.u + c + f.e2 * m.laplacian(), -c * c * c};
  });
  std::vector<double> at_first = solution.values(box);
  for (std::size_t i = 0; i < at_first.size(); i += 2) at_first[i] += 1;
  problem.initial = at_first;
  problem.follow = {1};
  problem.exact = fading(std::move(at_first));
  return problem;
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  const double e = input.value_of(width_m);
  const CahnHilliard f{e * e};
  if (input.manufactured) return manufactured(f, grid, boundary, box);
  ResidualProblem problem;
  problem.residual = residual_of(f, 2);
  problem.initial = zeros(2 * box.nodes());
  const SmoothNoise noise(grid, input.seed, 2 * e);
  add_source(grid, box, problem.initial,
             [&](const Position& p, int unknown) { return unknown == 0 ? 0.1 * noise.at(p) : 0; });
  problem.follow = {1};
  return problem;
}

}  // namespace

Pde cahn_hilliard_pde() {
  return {.name = "cahn_hilliard",
          .equation = "c_t = lap mu, mu = c3 - c - e2 lap c",
          .about = "two phases that part, from noise of the seed",
          .discretisation = {.star = 1, .dof = 2},
          .faces = {BoundaryKind::periodic, BoundaryKind::clamp},
          .parameters = {width_m},
          .residual = problem_of,
          .unknowns = {"c", "mu"},
          .until_s = 0.02,
          .length_m = 1};
}

}  // namespace quadrille
