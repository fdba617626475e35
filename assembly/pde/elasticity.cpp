#include "assembly/pde/elasticity.hpp"

#include <cmath>

#include "grid/error.hpp"

namespace quadrille {
namespace {

void check(const Grid& grid, const Stencil& stencil, double lambda_pa, double mu_pa) {
  require(elasticity_stencils, "elasticity", grid, stencil);
  if (!(mu_pa > 0) || !(lambda_pa + mu_pa >= 0) || !std::isfinite(lambda_pa) || !std::isfinite(mu_pa))
    throw InputError("elasticity with lambda " + std::to_string(lambda_pa) + " and mu " +
                     std::to_string(mu_pa) + ": mu must be positive and lambda + mu not negative");
}

// d2/(dr dc) at this point, 1/m^2.
double second_derivative(const std::array<int, 3>& point, int r, int c,
                         const std::array<double, 3>& spacing_m) {
  const double cell = spacing_m[r] * spacing_m[c];
  for (int axis = 0; axis < 3; ++axis)
    if (axis != r && axis != c && point[axis] != 0) return 0;
  if (r == c) return (point[r] == 0 ? -2.0 : 1.0) / cell;
  return point[r] * point[c] / (4.0 * cell);
}

}  // namespace

Elasticity elasticity(const Grid& grid, const Stencil& stencil, double lambda_pa, double mu_pa) {
  check(grid, stencil, lambda_pa, mu_pa);
  Elasticity result;
  for (std::size_t p = 0; p < stencil.offsets.size(); ++p) {
    const Offset& o = stencil.offsets[p];
    const std::array<int, 3> point{o.x, o.y, o.z};
    double laplace = 0;
    for (int axis = 0; axis < grid.dimension; ++axis)
      laplace += second_derivative(point, axis, axis, grid.spacing_m);
    for (int r = 0; r < grid.dimension; ++r)
      for (int c = 0; c < grid.dimension; ++c) {
        const double grad_div = second_derivative(point, r, c, grid.spacing_m);
        result.weight[p][r * 3 + c] =
            0.0 - ((r == c ? mu_pa * laplace : 0.0) + (lambda_pa + mu_pa) * grad_div);
      }
  }
  return result;
}

}  // namespace quadrille
