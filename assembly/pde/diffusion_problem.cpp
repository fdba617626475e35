#include "assembly/pde/diffusion_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/manufactured.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

void hold_closed_regions(const CoefficientField& field, const Grid& grid, const LineRange& lines,
                         DiffusionCoefficients& coefficients) {
  for (const std::int64_t node : field.held) {
    const std::int64_t line = node / grid.extents[0];
    if (line < lines.first || line >= lines.first + lines.count) continue;
    coefficients.centre[coefficients.window.place(node)] += field.a[node] * coefficients.centre_of_one;
  }
}

AssembledLines<double> assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                 const PdeInput& input, const LineRange& lines, Array<double> a) {
  DiffusionCoefficients coefficients =
      diffusion_around(grid, stencil, boundary, lines, std::move(a), input.coefficient_ratio);
  if (input.coefficient) hold_closed_regions(*input.coefficient, grid, lines, coefficients);
  return coefficients.window.is_whole()
             ? assemble_lines<double>(grid, stencil, boundary, coefficients.functor(), lines)
             : assemble_lines<double>(grid, stencil, boundary, coefficients.functor_in_window(), lines);
}

// With sources that add up to zero in each closed region.
void add_balanced_source(const Grid& grid, const PdeInput& input, const LineRange& lines, PdeLines& problem) {
  const CoefficientField& field = *input.coefficient;
  Array<double> source(grid.nodes());
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < grid.nodes(); ++node)
    source[node] = usual_source(grid, input, !field.has_open_region, node);
  balance(field, source);
  add_source(grid, lines, problem.system.rhs,
             [&](const Position& p, int) { return source[node_index(grid, p)]; });
  const auto first = field.region.begin() + lines.first * grid.extents[0];
  problem.region.assign(first, first + lines.count * grid.extents[0]);
  problem.regions = static_cast<std::int64_t>(field.held.size());
}

PdeLines with_given_field(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                          const PdeInput& input, const LineRange& lines) {
  if (input.manufactured)
    throw InputError("a manufactured problem of diffusion has coefficients of its own: give no field");
  const CoefficientField& field = *input.coefficient;
  const NodeWindow window = window_around(grid, lines);
  Array<double> a(window.count);
  for (std::int64_t i = 0; i < window.count; ++i) a[i] = field.a[window.node(i)];
  PdeLines problem;
  problem.system = assembled(grid, stencil, boundary, input, lines, std::move(a));
  if (field.has_barriers) {
    add_balanced_source(grid, input, lines, problem);
    return problem;
  }
  problem.singular = fixes_no_value(grid, boundary);
  add_usual_source(grid, lines, input, problem.singular, problem.system.rhs);
  return problem;
}

PdeLines manufactured(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                      const PdeInput& input, const LineRange& lines) {
  constexpr double turn = 2 * std::numbers::pi, amplitude = 0.4;
  PdeLines problem;
  problem.singular = fixes_no_value(grid, boundary);
  const NodeWindow window = window_around(grid, lines);
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
  problem.system = assembled(grid, stencil, boundary, input, lines, std::move(a));
  add_source(grid, lines, problem.system.rhs, [&](const Position& p, int r) {
    const Manufactured::Jet u = solution.at(p, r);
    const std::array<double, 3> s = solution.fraction(p);
    double sum = 0;
    for (int axis = 0; axis < grid.dimension; ++axis)
      sum += input.coefficient_ratio[axis] *
             (u.curvature[axis] +
              amplitude * turn / solution.length_m(axis) * std::cos(turn * s[axis] + 1) * u.slope[axis]);
    return -coefficient(s) * sum;
  });
  problem.exact = solution.values(lines);
  return problem;
}

}  // namespace

PdeLines diffusion_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           const PdeInput& input, const LineRange& lines) {
  if (input.coefficient) return with_given_field(grid, stencil, boundary, input, lines);
  if (input.manufactured) return manufactured(grid, stencil, boundary, input, lines);
  PdeLines problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assembled(grid, stencil, boundary, input, lines,
                             log_normal_field(grid, window_around(grid, lines), input.seed));
  add_usual_source(grid, lines, input, problem.singular, problem.system.rhs);
  return problem;
}

}  // namespace quadrille
