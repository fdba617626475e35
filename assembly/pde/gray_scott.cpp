// Two substances that react and spread, u + 2 v -> 3 v, fed and drained (Gray and Scott, Chem. Eng. Sci. 38,
// 1983; Pearson, Science 261, 1993):
//
//   u_t = D_u lap u - u v^2 + F (1 - u)
//   v_t = D_v lap v + u v^2 - (F + k) v
//
// At first v is 0.25 sin^2(4 pi x) sin^2(4 pi y) in the square from 1 m to 1.5 m, as in PETSc's tutorial, and
// u = 1 - 2 v; in 3D the same in each plane.
//
// Manufactured, for faces that hold 0, are periodic or let nothing through: u = e^-t U, v = e^-t V with U =
// -M and V = M of assembly/pde/manufactured.hpp, M being that of either unknown, with
//
//   f_u = -F + e^-t (-U - D_u lap U + F U) + e^-3t U V^2
//   f_v =      e^-t (-V - D_v lap V + (F + k) V) - e^-3t U V^2
//
// u is below 0, where the reaction lets small errors of u and v fade; above 0 they would grow by e^(2 u v t).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "assembly/pde/all.hpp"
#include "assembly/pde/fading_source.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

constexpr PdeParameter feed_1_s{"F", 0.024, "1/s", "what feeds u and drains both", 0, false, true},
    kill_1_s{"k", 0.06, "1/s", "what drains v beside", 0, false, true},
    of_u_m2_s{"D_u", 8e-5, "m2/s", "diffusivity of u", 0, false, true},
    of_v_m2_s{"D_v", 4e-5, "m2/s", "diffusivity of v", 0, false, true};

struct GrayScott {
  double of_u, of_v, feed, kill;

  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr auto operator()(const auto& c, int r) const {
    const auto reaction = c(0) * c(1) * c(1);
    return r == 0 ? c.rate(0) - of_u * c.laplacian(0) + reaction - feed * (1 - c(0))
                  : c.rate(1) - of_v * c.laplacian(1) - reaction + (feed + kill) * c(1);
  }
};

// By finite volumes, as in assembly/pde/diffusion.hpp.
struct GrayScottThroughFields {
  const double *of_u = nullptr, *of_v = nullptr, *feed = nullptr, *kill = nullptr;  // [place in the window]
  std::array<double, 3> per_h2{};

  static constexpr bool couples(bool centre, int r, int c) { return GrayScott::couples(centre, r, c); }
  constexpr auto operator()(const auto& c, int r) const {
    const auto reaction = c(0) * c(1) * c(1);
    const double fed = c.field(feed);
    return r == 0 ? c.rate(0) + c.outflow(0, of_u, per_h2) + reaction - fed * (1 - c(0))
                  : c.rate(1) + c.outflow(1, of_v, per_h2) - reaction + (fed + c.field(kill)) * c(1);
  }
};

AnyResidual residual(const GrayScott& f, const Grid& grid, const PdeInput& input, const NodeBox& box) {
  const auto fields =
      parameter_fields(grid, box, input, std::array{of_u_m2_s, of_v_m2_s, feed_1_s, kill_1_s});
  if (!fields) return residual_of(f, 2);
  GrayScottThroughFields through;
  for (int axis = 0; axis < 3; ++axis)
    through.per_h2[axis] = 1 / (grid.spacing_m[axis] * grid.spacing_m[axis]);
  return residual_of_fields(through, 2, fields, [](GrayScottThroughFields& to, const auto& of, bool) {
    to.of_u = of[0], to.of_v = of[1], to.feed = of[2], to.kill = of[3];
  });
}

// The square root of v at first is half the product of these along x and y.
double wave(double place_m) {
  return place_m >= 1 && place_m <= 1.5 ? std::abs(std::sin(4 * std::numbers::pi * place_m)) : 0;
}

// The largest v of all nodes.
double largest_at_first(const Grid& grid) {
  double largest = 0.5;
  for (int axis = 0; axis < 2; ++axis) {
    double along = 0;
    for (std::int64_t i = 0; i < grid.extents[axis]; ++i)
      along = std::max(along, wave(static_cast<double>(i) * grid.spacing_m[axis]));
    largest *= along;
  }
  return largest * largest;
}

ResidualProblem manufactured(const GrayScott& f, const Grid& grid, const Boundary& boundary,
                             const NodeBox& box) {
  require_no_data(grid, boundary, "gray_scott");
  const Manufactured solution(grid, boundary);
  ResidualProblem problem;
  problem.residual = residual_with_source(f, grid, box, [&](const Position& p, int r) {
    const Manufactured::Jet u = solution.at(p, 0), v = solution.at(p, 1);
    const double reaction = -u.u * v.u * v.u;
    return r == 0 ? std::array{-f.feed, u.u + f.of_u * u.laplacian() - f.feed * u.u, reaction}
                  : std::array{0.0, (f.feed + f.kill - 1) * v.u - f.of_v * v.laplacian(), -reaction};
  });
  problem.initial = solution.values(box);
  for (std::size_t i = 0; i < problem.initial.size(); i += 2) problem.initial[i] *= -1;
  problem.exact = fading(problem.initial);
  return problem;
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  const GrayScott f{input.value_of(of_u_m2_s), input.value_of(of_v_m2_s), input.value_of(feed_1_s),
                    input.value_of(kill_1_s)};
  if (input.manufactured) return manufactured(f, grid, boundary, box);
  ResidualProblem problem;
  problem.residual = residual(f, grid, input, box);
  problem.initial = zeros(box.nodes() * grid.dof);
  add_source(grid, box, problem.initial, [&](const Position& p, int unknown) {
    const double root = 0.5 * wave(static_cast<double>(p.x) * grid.spacing_m[0]) *
                        wave(static_cast<double>(p.y) * grid.spacing_m[1]);
    return unknown == 0 ? 1 - 2 * root * root : root * root;
  });
  if (largest_at_first(grid) < 1e-20)  // but for rounding of sin(4 pi x)
    problem.initial_note =
        "v is 0 at all nodes at first, so that nothing will change: no node is where v is more, within the "
        "square from 1 m to 1.5 m; choose another grid (--grid, --spacing) or beginning (--initial)";
  return problem;
}

}  // namespace

Pde gray_scott_pde() {
  return {.name = "gray_scott",
          .equation = "u_t = D_u lap u - u v2 + F (1 - u), v_t = D_v lap v + u v2 - (F + k) v",
          .about = "two substances that react",
          .discretisation = {.star = 1, .dof = 2},
          .faces = {BoundaryKind::periodic, BoundaryKind::clamp, BoundaryKind::value, BoundaryKind::drop,
                    BoundaryKind::outflow, BoundaryKind::flux, BoundaryKind::robin},
          .parameters = {feed_1_s, kill_1_s, of_u_m2_s, of_v_m2_s},
          .residual = problem_of,
          .unknowns = {"u", "v"},
          .petsc_options = "-ksp_type bcgs -pc_type pbjacobi",
          .until_s = 1000,
          .length_m = 2.5};
}

}  // namespace quadrille
