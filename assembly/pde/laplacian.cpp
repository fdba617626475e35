#include "assembly/pde/laplacian.hpp"

namespace quadrille {

MinusLaplacian minus_laplacian(const Grid& grid, const Stencil& stencil) {
  require(laplacian_stencils, "the Laplacian", grid, stencil);
  for (int radius = 1; radius <= max_stencil_radius; ++radius)
    if (stencil.offsets == star_stencil(grid.dimension, radius).offsets) return {.radius = radius};
  return {.box = true};
}

Laplacian laplacian(const Grid& grid, const Stencil& stencil) {
  Laplacian result;
  const LinearWeights weights(minus_laplacian(grid, stencil), grid);
  for (std::size_t p = 0; p < stencil.offsets.size(); ++p)
    result.weight[p] = weights.of(stencil.offsets[p], 0, 0);
  return result;
}

}  // namespace quadrille
