// Heat  u_t - div(a grad u) = f  for every unknown of a node by itself: t in s, a in m^2/s, f in 1/s. At
// first u is 1 in the middle half of the grid along each axis and 0 around it, and f is 0.
//
// a is 1 or, of a field that is given at the nodes, across a face between two of them the harmonic mean, as
// in assembly/pde/diffusion.hpp. Along an axis it is coefficient_ratio times that. Where it is 0 nothing
// flows: u_t = f. Where a is a tensor K, the operator is that of assembly/pde/tensor_diffusion.hpp.
//
// Manufactured: a = 1, u = e^-t M with M as in assembly/pde/manufactured.hpp, and f = -e^-t (M + div grad M),
// for faces that hold 0, are periodic or let nothing through.
#include <algorithm>
#include <cmath>

#include "assembly/pde/all.hpp"
#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/residual_of.hpp"
#include "assembly/pde/tensor_diffusion.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

// A branch between what a row reads would make a GPU wait.
template <bool has_source>
struct Heat {
  const double* source = nullptr;  // [row of the box], times e^-t
  int dof = 1;

  static constexpr bool linear = true, symmetric = true, uniform = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  constexpr auto operator()(const auto& u, int r) const {
    auto residual = u.rate(r) - u.laplacian(r);
    if constexpr (has_source) residual -= std::exp(-u.time_s()) * source[u.own() * dof + r];
    return residual;
  }
};

struct HeatThroughField {
  FlowThroughField flow;

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return flow.conductivity(node, axis, unknown);
  }
  constexpr auto operator()(const auto& u, int r) const { return u.rate(r) + flow(u, r); }
};

struct HeatThroughTensors {
  TensorDiffusion flow;

  static constexpr bool linear = true, symmetric = true, box = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  constexpr auto operator()(const auto& u, int r) const { return u.rate(r) + flow(u, r); }
};

ResidualProblem manufactured(const Grid& grid, const Boundary& boundary, const NodeBox& box) {
  require_no_data(grid, boundary, "heat");
  const Manufactured solution(grid, boundary);
  std::vector<double> at_first = zeros(box.nodes() * grid.dof);
  add_source(grid, box, at_first, [&](const Position& p, int r) {
    const Manufactured::Jet m = solution.at(p, r);
    return -(m.u + m.laplacian());
  });
  const auto source = std::make_shared<NumbersOnBoth>(std::move(at_first));
  ResidualProblem problem;
  problem.initial = solution.values(box);
  problem.residual =
      residual_of(Heat<true>{source->on_host(), grid.dof}, grid.dof, std::function([source, dof = grid.dof] {
                    return Heat<true>{source->on_device(), dof};
                  }));
  problem.exact = fading(problem.initial);
  return problem;
}

AnyResidual through_field(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                          const NodeBox& box) {
  HeatThroughField heat;
  heat.flow.window = window_around(grid, box);
  heat.flow.ratio = input.coefficient_ratio;
  for (int axis = 0; axis < 3; ++axis)
    heat.flow.per_h2[axis] = heat.flow.ratio[axis] / (grid.spacing_m[axis] * grid.spacing_m[axis]);
  std::vector<double> a(static_cast<std::size_t>(heat.flow.window.nodes()), 1.0);
  if (input.coefficient) copy_window(input.coefficient->a, grid, heat.flow.window, a.data());
  require_fine_enough_for(grid, boundary, "heat", a, heat.flow.ratio);
  const auto numbers = std::make_shared<NumbersOnBoth>(std::move(a));
  heat.flow.a = numbers->on_host();
  return residual_of(heat, grid.dof, std::function([numbers, heat] {
                       HeatThroughField there = heat;
                       there.flow.a = numbers->on_device();
                       return there;
                     }));
}

AnyResidual through_tensors(const Grid& grid, const Boundary& boundary, const TensorField& field,
                            const NodeBox& box) {
  const Stencil stencil = box_stencil(grid.dimension, 1);
  const TensorCoefficients given = tensor_diffusion(grid, stencil, boundary, box, field);
  const auto k = std::make_shared<NumbersOnBoth>(std::vector<double>(given.k.begin(), given.k.end()));
  const auto ends = std::make_shared<OnBoth<TensorDiffusion::Ends>>(given.ends);
  HeatThroughTensors heat{given.functor()};
  heat.flow.k = k->on_host();
  heat.flow.ends = ends->on_host();
  return residual_of(heat, grid.dof, std::function([k, ends, heat] {
                       HeatThroughTensors there = heat;
                       there.flow.k = k->on_device();
                       there.flow.ends = ends->on_device();
                       return there;
                     }));
}

AnyResidual without_source(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  if (input.tensor) return through_tensors(grid, boundary, *input.tensor, box);
  const bool of_field = input.coefficient || input.coefficient_ratio != std::array<double, 3>{1, 1, 1};
  return of_field ? through_field(grid, boundary, input, box) : residual_of(Heat<false>{}, grid.dof);
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  const bool given = input.coefficient || input.coefficient_ratio != std::array<double, 3>{1, 1, 1};
  if (input.manufactured && given)
    throw InputError("the manufactured problem of heat has a coefficient of 1: give none");
  if (input.manufactured) return manufactured(grid, boundary, box);
  ResidualProblem problem;
  problem.residual = without_source(grid, boundary, input, box);
  problem.initial = zeros(box.nodes() * grid.dof);
  add_source(grid, box, problem.initial, [&](const Position& p, int) {
    const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
    for (int axis = 0; axis < grid.dimension; ++axis)
      if (4 * at[axis] < grid.extents[axis] || 4 * at[axis] >= 3 * grid.extents[axis]) return 0.0;
    return 1.0;
  });
  return problem;
}

const Pde& heat_of_tensor() {
  static const Pde pde = [] {
    Pde of_tensor = heat_pde();
    of_tensor.name = "heat with a tensor";
    of_tensor.equation = "u_t - div(K grad u) = f";
    of_tensor.discretisation = tensor_diffusion_stencils;
    of_tensor.with_tensor = nullptr;
    of_tensor.order = 0;
    return of_tensor;
  }();
  return pde;
}

}  // namespace

Pde heat_pde() {
  return {.name = "heat",
          .equation = "u_t - div(a grad u) = f",
          .about = "from 1 in the middle half, without a source of its own; a is 1, or given",
          .source_units = "1/s",
          .discretisation = {.star = 1},
          .takes_coefficient = true,
          .with_tensor = heat_of_tensor,
          .residual = problem_of,
          .until_s = 0.05,
          .length_m = 1};
}

}  // namespace quadrille
