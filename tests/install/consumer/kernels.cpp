// A user's program: a small Laplacian, its CDS form by name, and one product with x = 1.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <quadrille/multigrid.hpp>
#include <quadrille/products.hpp>
#include <utility>
#include <vector>

#include "grid/error.hpp"

static_assert(users_own_code == 7);

int main() {
  const quadrille::Grid grid{.dimension = 2, .extents = {8, 8, 1}};
  auto a = quadrille::assemble_operator<double>("laplacian", grid, quadrille::star_stencil(2, 1),
                                                quadrille::Boundary{}, 1);

  std::vector<double> x(grid.rows(), 1.0), y(grid.rows(), std::nan(""));
  quadrille::make_operator("cds", quadrille::SpaceKind::cpu, quadrille::input_of(std::move(a.hub)))
      ->apply(x.data(), y.data());
  // Interior rows sum to 0; a row lacks one neighbour per face it touches, and 4 faces have 8 nodes each.
  const double sum = std::accumulate(y.begin(), y.end(), 0.0);
  std::printf("sum of A*1: %g, expected +-32\n", sum);
  return std::abs(std::abs(sum) - 32) < 1e-12 ? 0 : 1;
}
