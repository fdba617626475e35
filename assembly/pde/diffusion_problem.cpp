#include "assembly/pde/diffusion_problem.hpp"

#include <cmath>
#include <numbers>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/manufactured.hpp"

namespace quadrille {

PdeLines diffusion_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           std::uint64_t seed, bool manufactured, const LineRange& lines) {
  PdeLines problem;
  const NodeWindow window = window_around(grid, lines);
  problem.singular = fixes_no_value(grid, boundary);
  const auto assemble_with = [&](Array<double> a) {
    const DiffusionCoefficients coefficients = diffusion_around(grid, stencil, boundary, lines, std::move(a));
    problem.system =
        window.is_whole()
            ? assemble_lines<double>(grid, stencil, boundary, coefficients.functor(), lines)
            : assemble_lines<double>(grid, stencil, boundary, coefficients.functor_in_window(), lines);
  };
  if (!manufactured) {
    assemble_with(log_normal_field(grid, window, seed));
    add_default_source(grid, lines, problem.singular, problem.system.rhs);
    return problem;
  }
  constexpr double turn = 2 * std::numbers::pi, amplitude = 0.4;
  const Manufactured solution(grid, boundary);
  const auto coefficient = [&](const std::array<double, 3>& s) {
    double exponent = 0;
    for (int axis = 0; axis < grid.dimension; ++axis) exponent += amplitude * std::sin(turn * s[axis] + 1);
    return std::exp(exponent);
  };
  Array<double> a(window.count);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < window.count; ++i)
    a[i] = coefficient(solution.fraction(node_position(grid, window.node(i))));
  assemble_with(std::move(a));
  add_source(grid, lines, problem.system.rhs, [&](const Position& p, int r) {
    const Manufactured::Jet u = solution.at(p, r);
    const std::array<double, 3> s = solution.fraction(p);
    double sum = u.laplacian();
    for (int axis = 0; axis < grid.dimension; ++axis)
      sum += amplitude * turn / solution.length_m(axis) * std::cos(turn * s[axis] + 1) * u.slope[axis];
    return -coefficient(s) * sum;
  });
  problem.exact = solution.values(lines);
  return problem;
}

}  // namespace quadrille
