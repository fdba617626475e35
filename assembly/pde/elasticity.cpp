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

}  // namespace

Elasticity elasticity(const Grid& grid, const Stencil& stencil, double lambda_pa, double mu_pa) {
  check(grid, stencil, lambda_pa, mu_pa);
  Elasticity result;
  const LinearWeights weights(ElasticForces{lambda_pa, mu_pa}, grid);
  for (std::size_t p = 0; p < stencil.offsets.size(); ++p)
    for (int r = 0; r < grid.dimension; ++r)
      for (int c = 0; c < grid.dimension; ++c)
        result.weight[p][r * 3 + c] = weights.of(stencil.offsets[p], r, c);
  return result;
}

}  // namespace quadrille
