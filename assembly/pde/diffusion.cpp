#include "assembly/pde/diffusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pde/problem.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t block_nodes = 8;

void check(const NodeWindow& window, const Grid& grid, const Array<double>& a) {
  if (a.size() != window.nodes())
    throw InputError("diffusion: the field has " + std::to_string(a.size()) + " numbers for " +
                     std::to_string(window.nodes()) + " nodes");
  std::int64_t bad = a.size();
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (!(a[i] >= 0) || !std::isfinite(a[i])) bad = std::min(bad, i);
  if (bad < a.size())
    throw InputError("diffusion: the field is " + std::to_string(a[bad]) + " at node " +
                     std::to_string(node_index(grid, window.position(bad))) +
                     "; it must be finite and not negative");
}

DiffusionCoefficients without_field(const Grid& grid, const Stencil& stencil, const NodeBox& box,
                                    const std::array<double, 3>& ratio) {
  require(diffusion_stencils, "diffusion", grid, stencil);
  DiffusionCoefficients result;
  result.window = window_around(grid, box);
  result.ratio = ratio;
  for (int axis = 0; axis < 3; ++axis)
    result.per_h2[axis] = ratio[axis] / (grid.spacing_m[axis] * grid.spacing_m[axis]);
  for (int axis = 0; axis < grid.dimension; ++axis) result.centre_of_one += 2 * result.per_h2[axis];
  return result;
}

}  // namespace

void require_fine_enough_for(const Grid& grid, const Boundary& boundary, const std::string& who,
                             std::span<const double> a, const std::array<double, 3>& ratio) {
  double least = std::numeric_limits<double>::infinity();
#pragma omp parallel for schedule(static) reduction(min : least)
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] > 0) least = std::min(least, a[i]);
  require_fine_enough(grid, boundary, who, [&](int axis, int) { return least * ratio[axis]; });
}

DiffusionCoefficients diffusion_around(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const NodeBox& box, Array<double> a,
                                       const std::array<double, 3>& ratio) {
  DiffusionCoefficients result = without_field(grid, stencil, box, ratio);
  check(result.window, grid, a);
  require_fine_enough_for(grid, boundary, "diffusion", {a.data(), static_cast<std::size_t>(a.size())}, ratio);
  result.a = std::move(a);
  return result;
}

DiffusionCoefficients diffusion_around(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const NodeBox& box, const CoefficientField& field,
                                       const std::array<double, 3>& ratio) {
  DiffusionCoefficients result = without_field(grid, stencil, box, ratio);
  if (result.window.is_whole() && result.window.box.first == NodePosition{0, 0, 0}) {
    result.of_grid = field.a.data();
  } else {
    result.a = Array<double>(result.window.nodes());
    copy_window(field.a, grid, result.window, result.a.data());
  }
  const double* const a = result.functor().flow.a;
  require_fine_enough_for(grid, boundary, "diffusion", {a, static_cast<std::size_t>(result.window.nodes())},
                          ratio);
  return result;
}

DiffusionCoefficients diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                Array<double> a) {
  return diffusion_around(grid, stencil, boundary, whole_box(grid.extents), std::move(a));
}

Array<double> log_normal_field(const Grid& grid, const NodeWindow& window, std::uint64_t seed, double sigma,
                               double jump) {
  Array<double> a(window.nodes());
  const std::int64_t blocks_x = (grid.extents[0] - 1) / block_nodes + 1,
                     blocks_y = (grid.extents[1] - 1) / block_nodes + 1;
  const std::uint64_t jump_seed = mix64(seed) + 1;  // a sequence of its own
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const Position at = window.position(i);
    const std::int64_t node = node_index(grid, at);
    // Box and Muller 1958, with uniforms in (0, 1]: (1 + odd multiple)/2.
    const double u1 = 0.5 + 0.5 * signed_unit(counter_hash(seed, 2 * node));
    const double u2 = 0.5 + 0.5 * signed_unit(counter_hash(seed, 2 * node + 1));
    const double g = std::sqrt(-2.0 * std::log(u1)) * std::cos(2.0 * std::numbers::pi * u2);
    const std::int64_t block =
        (at.z / block_nodes * blocks_y + at.y / block_nodes) * blocks_x + at.x / block_nodes;
    const bool jumps = counter_hash(jump_seed, block) >> 62 == 0;
    a[i] = std::exp(sigma * g) * (jumps ? jump : 1.0);
  }
  return a;
}

Array<double> log_normal_field(const Grid& grid, std::uint64_t seed, double sigma, double jump) {
  return log_normal_field(grid, {whole_box(grid.extents), grid.extents}, seed, sigma, jump);
}

}  // namespace quadrille
