#include "assembly/pde/laplacian.hpp"

#include <cstdlib>

namespace quadrille {
namespace {

// -d2/dx2 at distance 0..R, times h^2.
constexpr double second_difference[max_stencil_radius][max_stencil_radius + 1] = {
    {2.0, -1.0, 0, 0, 0},
    {5.0 / 2, -4.0 / 3, 1.0 / 12, 0, 0},
    {49.0 / 18, -3.0 / 2, 3.0 / 20, -1.0 / 90, 0},
    {205.0 / 72, -8.0 / 5, 1.0 / 5, -8.0 / 315, 1.0 / 560},
};

double star_weight(const Offset& o, int radius, const std::array<double, 3>& spacing_m, int dimension) {
  const std::array<int, 3> distance{std::abs(o.x), std::abs(o.y), std::abs(o.z)};
  const bool centre = o == Offset{};
  double weight = 0;
  for (int axis = 0; axis < dimension; ++axis)
    if (centre || distance[axis] != 0)
      weight += second_difference[radius - 1][distance[axis]] / (spacing_m[axis] * spacing_m[axis]);
  return weight;
}

double box_weight(const Offset& o, const std::array<double, 3>& spacing_m, int dimension) {
  const std::array<int, 3> component{o.x, o.y, o.z};
  double weight = 0;
  for (int derived = 0; derived < dimension; ++derived) {
    double product = 1;
    for (int axis = 0; axis < dimension; ++axis) {
      const bool centre = component[axis] == 0;
      if (axis == derived)
        product *= (centre ? 2.0 : -1.0) / (spacing_m[axis] * spacing_m[axis]);
      else
        product *= (centre ? 4.0 : 1.0) / 6.0;
    }
    weight += product;
  }
  return weight;
}

}  // namespace

Laplacian laplacian(const Grid& grid, const Stencil& stencil) {
  require(laplacian_stencils, "the Laplacian", grid, stencil);
  Laplacian result;
  const int points = static_cast<int>(stencil.offsets.size());
  for (int radius = 1; radius <= max_stencil_radius; ++radius)
    if (stencil.offsets == star_stencil(grid.dimension, radius).offsets) {
      for (int p = 0; p < points; ++p)
        result.weight[p] = star_weight(stencil.offsets[p], radius, grid.spacing_m, grid.dimension);
      return result;
    }
  for (int p = 0; p < points; ++p)
    result.weight[p] = box_weight(stencil.offsets[p], grid.spacing_m, grid.dimension);
  return result;
}

}  // namespace quadrille
