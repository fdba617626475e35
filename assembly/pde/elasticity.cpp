#include "assembly/pde/elasticity.hpp"

#include <cmath>
#include <sstream>

#include "grid/error.hpp"

namespace quadrille {

std::string why_not_lame(double lambda_pa, double mu_pa) {
  if (mu_pa > 0 && lambda_pa + mu_pa >= 0 && std::isfinite(lambda_pa) && std::isfinite(mu_pa)) return "";
  std::ostringstream text;
  text << "lambda is " << lambda_pa << " and mu " << mu_pa
       << "; mu must be positive and lambda + mu not negative";
  return text.str();
}

void require_lame(const std::string& who, std::span<const double> lambda_pa, std::span<const double> mu_pa) {
  for (std::size_t i = 0; i < mu_pa.size(); ++i)
    if (const std::string reason = why_not_lame(lambda_pa[i], mu_pa[i]); !reason.empty())
      throw InputError(who + ": somewhere " + reason);
}

Elasticity elasticity(const Grid& grid, const Stencil& stencil, double lambda_pa, double mu_pa) {
  require(elasticity_stencils, "elasticity", grid, stencil);
  if (const std::string reason = why_not_lame(lambda_pa, mu_pa); !reason.empty())
    throw InputError("elasticity: " + reason);
  Elasticity result;
  result.lambda_pa = lambda_pa, result.mu_pa = mu_pa;
  const LinearWeights weights(ElasticForces{lambda_pa, mu_pa}, grid);
  for (std::size_t p = 0; p < stencil.offsets.size(); ++p)
    for (int r = 0; r < grid.dimension; ++r)
      for (int c = 0; c < grid.dimension; ++c)
        result.weight[p][r * 3 + c] = weights.of(stencil.offsets[p], r, c);
  return result;
}

}  // namespace quadrille
