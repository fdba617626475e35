// Bratu's problem  -lap u = lambda e^u: nonlinear and steady. On the unit square with u = 0 around it there
// are two solutions below lambda = 6.80812 and none above (Glowinski, Keller and Reinhart, SIAM J. Sci. Stat.
// Comput. 6, 1985); Newton's iterations from 0 find the smaller one.
//
// Manufactured: u = M of assembly/pde/manufactured.hpp, by f = -lap M - lambda e^M beside lambda e^u, for
// faces that hold 0, are periodic or let nothing through; where none holds a value, lambda is negative. Where
// all hold 0, M is below 0.2 (of unknown r, 1 + r times that): the smaller one of two where lambda e^M is
// below the least eigenvalue of -lap, as for lambda up to 16 of one unknown on the unit square.
#include <algorithm>
#include <cmath>

#include "assembly/pde/all.hpp"
#include "assembly/pde/fading_source.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

constexpr PdeParameter lambda_1_m2{
    .name = "lambda", .usual = 6, .units = "1/m2", .about = "of the source", .varies = true};

struct Bratu {
  double lambda;

  constexpr auto operator()(const auto& u, int r) const {
    using std::exp;
    return -u.laplacian(r) - lambda * exp(u(r));
  }
};

struct BratuThroughField {
  const double* lambda = nullptr;  // [place in the window]

  constexpr auto operator()(const auto& u, int r) const {
    using std::exp;
    return -u.laplacian(r) - u.field(lambda) * exp(u(r));
  }
};

ResidualProblem manufactured(const Bratu& bratu, const Grid& grid, const Boundary& boundary,
                             const NodeBox& box) {
  require_no_data(grid, boundary, "bratu");
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

// u would fall without end, and Newton's method take lambda e^u for solved.
std::string why_no_solution(const Grid& grid, const Boundary& boundary, const PdeInput& input) {
  if (input.without_source || !fixes_no_value(grid, boundary)) return "";
  const Array<double>* const field = input.field_of(lambda_1_m2);
  const double one = input.value_of(lambda_1_m2),
               least = field != nullptr ? *std::min_element(field->begin(), field->end()) : one,
               most = field != nullptr ? *std::max_element(field->begin(), field->end()) : one;
  if (least < 0 && (most > 0 || has_data(boundary, grid.dimension))) return "";
  return "boundary '" + to_string(boundary, grid.dimension) +
         "': no face fixes a value, and nothing balances lambda e^u of bratu; give one value, drop or robin "
         "with A != 0, a negative lambda with a flux, or another source";
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  const Bratu bratu{input.value_of(lambda_1_m2)};
  if (input.manufactured) return manufactured(bratu, grid, boundary, box);
  ResidualProblem problem;
  problem.initial = zeros(box.nodes() * grid.dof);
  problem.no_solution = why_no_solution(grid, boundary, input);
  if (const auto fields = parameter_fields(grid, box, input, std::array{lambda_1_m2}))
    problem.residual =
        residual_of_fields(BratuThroughField{}, grid.dof, fields,
                           [](BratuThroughField& f, const auto& of, bool) { f.lambda = of[0]; });
  else
    problem.residual = residual_of(bratu, grid.dof);
  return problem;
}

}  // namespace

Pde bratu_pde() {
  return {.name = "bratu",
          .equation = "-lap u = lambda e^u",
          .about = "nonlinear",
          .discretisation = {.star = 1},
          .parameters = {lambda_1_m2},
          .residual = problem_of,
          .length_m = 1};
}

}  // namespace quadrille
