// Two phases that part, in conserved amounts (Cahn and Hilliard, J. Chem. Phys. 28, 1958), of order 4 as two
// of order 2:
//
//   c_t = lap mu,   mu = c^3 - c - e^2 lap c,   e = 0.02 m
//
// with c from -1 to 1 and a mobility of 1 m^2/s. At first c is 0.1 times noise of the seed. The mean of c
// stays, and the energy, the mean of (c^2 - 1)^2/4 + e^2 |grad c|^2/2, falls.
//
// Manufactured: c = e^-t C, mu = e^-t N with C = 1 + M and N = M of assembly/pde/manufactured.hpp, M being
// that of either unknown, and with
//
//   c_t = lap mu + f_c,                    f_c  = e^-t (-C - lap N)
//   mu = c^3 - c - e^2 lap c + f_mu,       f_mu = e^-t (N + C + e^2 lap C) - e^-3t C^3
//
// Until 0.5 s c is above 1/sqrt(3), where phases do not part and small errors fade.
#include "assembly/pde/all.hpp"
#include "assembly/pde/counter_hash.hpp"
#include "assembly/pde/fading_source.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

struct CahnHilliard {
  double e2 = 0.02 * 0.02;

  static constexpr bool couples(bool centre, int r, int c) { return centre || r != c; }
  constexpr auto operator()(const auto& u, int r) const {
    return r == 0 ? u.rate(0) - u.laplacian(1) : u(1) - (u(0) * u(0) * u(0) - u(0)) + e2 * u.laplacian(0);
  }
};

// With c(position) at first. mu fulfils its equation from the beginning: it is what its residual lacks where
// mu is 0.
template <class Phase>
std::vector<double> initial_of(const AnyResidual& residual, const Grid& grid, const Boundary& boundary,
                               const NodeBox& box, const Phase& c) {
  const NodeWindow window = window_around(grid, box);
  std::vector<double> around(static_cast<std::size_t>(2 * window.nodes()), 0.0);
  for (std::int64_t i = 0; i < window.nodes(); ++i)
    around[static_cast<std::size_t>(2 * i)] = c(window.position(i));
  std::vector<double> initial = zeros(2 * box.nodes());
  const std::vector<double> at_rest(initial.size(), 0.0);
  const FaceValues faces(grid, boundary, false);
  residual.evaluate({grid, faces.on_host(), box, window, around.data(), at_rest.data(), 0}, initial.data());
  for (std::int64_t i = 0; i < box.nodes(); ++i) {
    const NodePosition at = box.first_of_line(i / box.size[0]);
    double* const of_node = initial.data() + 2 * i;
    of_node[1] = -of_node[1];
    of_node[0] = around[static_cast<std::size_t>(2 * window.place({at[0] + i % box.size[0], at[1], at[2]}))];
  }
  return initial;
}

ResidualProblem manufactured(const Grid& grid, const Boundary& boundary, const NodeBox& box) {
  const CahnHilliard f;
  const Manufactured solution(grid, boundary);
  ResidualProblem problem;
  problem.residual = residual_with_source(f, grid, box, [&](const Position& p, int r) {
    const Manufactured::Jet m = solution.at(p, 0), mu = solution.at(p, 1);
    const double c = 1 + m.u;
    return r == 0 ? std::array{0.0, -c - mu.laplacian(), 0.0}
                  : std::array{0.0, mu.u + c + f.e2 * m.laplacian(), -c * c * c};
  });
  problem.initial = initial_of(problem.residual, grid, boundary, box,
                               [&](const Position& p) { return 1 + solution.at(p, 0).u; });
  std::vector<double> at_first = solution.values(box);
  for (std::size_t i = 0; i < at_first.size(); i += 2) at_first[i] += 1;
  problem.exact = fading(std::move(at_first));
  return problem;
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  if (input.manufactured) return manufactured(grid, boundary, box);
  ResidualProblem problem;
  problem.residual = residual_of(CahnHilliard{}, 2);
  problem.initial = initial_of(problem.residual, grid, boundary, box, [&](const Position& p) {
    const auto node = static_cast<std::uint64_t>(node_index(grid, p));
    return 0.1 * signed_unit(counter_hash(input.seed, node));
  });
  return problem;
}

}  // namespace

Pde cahn_hilliard_pde() {
  return {.name = "cahn_hilliard",
          .equation = "c_t = lap mu, mu = c3 - c - e2 lap c",
          .about = "two phases that part, e = 0.02 m, from noise of the seed",
          .discretisation = {.star = 1, .dof = 2},
          .faces = {BoundaryKind::periodic, BoundaryKind::clamp},
          .residual = problem_of,
          .unknowns = {"c", "mu"},
          .petsc_options = "-pc_type bjacobi -sub_pc_type ilu",
          .until_s = 0.02,
          .length_m = 1};
}

}  // namespace quadrille
