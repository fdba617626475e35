// Heterogeneous diffusion  -div(a grad u) = f  for every unknown of a node by itself, with the operator and
// the boundary of assembly/pde/diffusion.hpp. u has no units, a is in m^2/s, f in 1/s.
//
// a is the field of the input or, without one, the log-normal one of its seed with jumps of 1e6.
// Manufactured, u is as in assembly/pde/manufactured.hpp and
//
//   a = exp(0.4 sum over axes sin(2 pi s + 1)),   s = x/L
//   f = -a sum over axes (d^2u/dx^2 + 0.8 pi/L cos(2 pi s + 1) du/dx)
//
// in m^2/s, which is periodic and has a gradient at every face; along an axis both terms of f are times its
// coefficient_ratio. A field with barriers (assembly/pde/coefficient_field.hpp) makes no singular system: in
// each of its closed regions a cell is held, and sources balance what comes in through faces of flux.
//
// Where a is a tensor K, the operator is that of assembly/pde/tensor_diffusion.hpp.
#include "assembly/pde/diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "assembly/pde/all.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/tensor_diffusion.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

void hold_closed_regions(const CoefficientField& field, const Grid& grid, const NodeBox& box,
                         DiffusionCoefficients& coefficients) {
  if (field.held.empty()) return;
  const NodeWindow& window = coefficients.window;
  coefficients.held = Array<double>(window.nodes(), 0.0);
  for (const std::int64_t node : field.held) {
    const Position at = node_position(grid, node);
    if (!box.contains({at.x, at.y, at.z})) continue;
    coefficients.held[window.place(at)] = field.a[node] * coefficients.centre_of_one;
  }
}

AssembledBox<double> assembled_with(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const PdeInput& input, const NodeBox& box, Array<double> a) {
  const DiffusionCoefficients coefficients =
      diffusion_around(grid, stencil, boundary, box, std::move(a), input.coefficient_ratio);
  return assemble_system(grid, stencil, boundary, input, coefficients.functor(), box);
}

bool is_flux(const FaceBoundary& face) {
  return takes_data(face) && !fixes_unknown(face);  // flux, and robin with A = 0
}

bool has_flux(const Grid& grid, const Boundary& boundary) {
  for (int r = 0; r < grid.dof; ++r)
    if (std::any_of(boundary.of(r).begin(), boundary.of(r).begin() + 2 * grid.dimension, is_flux))
      return true;
  return false;
}

// q/h of all faces of flux of every node: what comes in through them, per volume.
Array<double> inflow(const Grid& grid, const Boundary& boundary, const CoefficientField& field, int unknown) {
  Array<double> sum(grid.nodes());
  for (std::int64_t node = 0; node < grid.nodes(); ++node) sum[node] = 0;
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    const FaceBoundary& here = boundary.of(unknown)[face];
    if (!is_flux(here)) continue;
    const int axis = face / 2;
    const std::int64_t last = face % 2 == 0 ? 0 : grid.extents[axis] - 1, step = face % 2 == 0 ? -1 : 1;
    for (std::int64_t node = 0; node < grid.nodes(); ++node) {
      Position beyond = node_position(grid, node);
      std::int64_t& along = axis == 0 ? beyond.x : axis == 1 ? beyond.y : beyond.z;
      if (along != last || field.a[node] == 0) continue;
      along += step;
      sum[node] += ghost::datum(boundary, face, beyond, unknown) / here.b / grid.spacing_m[axis];
    }
  }
  return sum;
}

// With sources that, with what comes in through faces of flux, add up to zero in each closed region.
void add_balanced_source(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                         const NodeBox& box, PdePart& problem) {
  const CoefficientField& field = *input.coefficient;
  const bool through_faces = has_flux(grid, boundary);
  const bool differ = through_faces || !input.source_everywhere.empty() ||
                      (input.source && input.source->size() > grid.nodes());
  std::vector<Array<double>> of_unknown;
  for (int r = 0; r < (differ ? grid.dof : 1); ++r) {
    const Array<double> in = inflow(grid, boundary, field, r);
    Array<double>& source = of_unknown.emplace_back(grid.nodes());
#pragma omp parallel for schedule(static)
    for (std::int64_t node = 0; node < grid.nodes(); ++node)
      source[node] = usual_source(grid, input, !field.has_open_region, node, r) + in[node];
    balance(field, source);
#pragma omp parallel for schedule(static)
    for (std::int64_t node = 0; node < grid.nodes(); ++node) source[node] -= in[node];
  }
  add_source(grid, box, problem.system.rhs, [&](const Position& p, int r) {
    return of_unknown[differ ? static_cast<std::size_t>(r) : 0][node_index(grid, p)];
  });
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    const NodePosition at = box.first_of_line(line);
    const auto first = field.region.begin() + node_index(grid, {at[0], at[1], at[2]});
    problem.region.insert(problem.region.end(), first, first + box.size[0]);
  }
  problem.regions = static_cast<std::int64_t>(field.held.size());
}

PdePart with_given_field(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                         const PdeInput& input, const NodeBox& box) {
  if (input.manufactured)
    throw InputError("a manufactured problem of diffusion has coefficients of its own: give no field");
  const CoefficientField& field = *input.coefficient;
  DiffusionCoefficients coefficients =
      diffusion_around(grid, stencil, boundary, box, field, input.coefficient_ratio);
  hold_closed_regions(field, grid, box, coefficients);
  PdePart problem;
  problem.system = assemble_system(grid, stencil, boundary, input, coefficients.functor(), box);
  if (field.has_barriers) {
    add_balanced_source(grid, boundary, input, box, problem);
    return problem;
  }
  problem.singular = fixes_no_value(grid, boundary);
  add_usual_source(grid, box, input, problem);
  return problem;
}

PdePart manufactured(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                     const PdeInput& input, const NodeBox& box) {
  constexpr double turn = 2 * std::numbers::pi, amplitude = 0.4;
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  const NodeWindow window = window_around(grid, box);
  const Manufactured solution(grid, boundary);
  const auto coefficient = [&](const std::array<double, 3>& s) {
    double exponent = 0;
    for (int axis = 0; axis < grid.dimension; ++axis) exponent += amplitude * std::sin(turn * s[axis] + 1);
    return std::exp(exponent);
  };
  Array<double> a(window.nodes());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.size(); ++i) a[i] = coefficient(solution.fraction(window.position(i)));
  const Boundary with_data = solution.with_data([&](const std::array<double, 3>& s, int axis) {
    return coefficient(s) * input.coefficient_ratio[axis];
  });
  problem.system = assembled_with(grid, stencil, with_data, input, box, std::move(a));
  add_source(grid, box, problem.system.rhs, [&](const Position& p, int r) {
    const Manufactured::Jet u = solution.at(p, r);
    const std::array<double, 3> s = solution.fraction(p);
    double sum = 0;
    for (int axis = 0; axis < grid.dimension; ++axis)
      sum += input.coefficient_ratio[axis] *
             (u.curvature[axis] +
              amplitude * turn / solution.length_m(axis) * std::cos(turn * s[axis] + 1) * u.slope[axis]);
    return -coefficient(s) * sum;
  });
  problem.exact = solution.values(box);
  return problem;
}

PdePart assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box) {
  if (input.coefficient) return with_given_field(grid, stencil, boundary, input, box);
  if (input.manufactured) return manufactured(grid, stencil, boundary, input, box);
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  problem.system = assembled_with(grid, stencil, boundary, input, box,
                                  log_normal_field(grid, window_around(grid, box), input.seed));
  add_usual_source(grid, box, input, problem);
  return problem;
}

PdePart assembled_of_tensor(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                            const PdeInput& input, const NodeBox& box) {
  if (!input.tensor || input.manufactured)
    throw InputError("diffusion with a tensor needs the tensor, and has no manufactured problem");
  PdePart problem;
  problem.singular = fixes_no_value(grid, boundary);
  const TensorCoefficients coefficients = tensor_diffusion(grid, stencil, boundary, box, *input.tensor);
  problem.system = assemble_system(grid, stencil, boundary, input, coefficients.functor(), box);
  add_data_of_flux(grid, boundary, box, coefficients, problem.system.rhs);
  add_usual_source(grid, box, input, problem);
  return problem;
}

const Pde& diffusion_of_tensor() {
  static const Pde pde{.name = "diffusion with a tensor",
                       .equation = "-div(K grad u) = f",
                       .source_units = "1/s",
                       .discretisation = tensor_diffusion_stencils,
                       .takes_coefficient = true,
                       .order = 0,
                       .assemble = assembled_of_tensor};
  return pde;
}

}  // namespace

Pde diffusion_pde() {
  return {.name = "diffusion",
          .equation = "-div(a grad u) = f",
          .about = "with coefficients that jump by 1e6, or of a file",
          .source_units = "1/s",
          .discretisation = diffusion_stencils,
          .takes_coefficient = true,
          .with_tensor = diffusion_of_tensor,
          .assemble = assembled};
}

}  // namespace quadrille
