// Operators that are far from symmetric: which smoother they get, and how fast it is.
#include "cases.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "kernels/multigrid/symmetry.hpp"
#include "operators.hpp"

namespace quadrille::multigrid_test {
namespace {

// An equation of order four as two of order two, as of a step of Cahn and Hilliard's:
//
//   shift c - lap mu = f,   mu + c - e^2 lap c = g
struct OrderFour {
  Laplacian laplacian;
  double shift, e2;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r != c; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    const bool centre = neighbour.offset == Offset{};
    const double spreads = laplacian.weight[neighbour.point];
    if (r == 0) return c == 1 ? spreads : centre ? shift : 0;
    return c == 0 ? e2 * spreads * -1 - (centre ? 1 : 0) : centre ? 1 : 0;
  }
};
Hub order_four(const Grid& grid, const std::string& sides, double shift, double e2) {
  const Stencil star = star_stencil(grid.dimension, 1);
  return assemble<double>(grid, star, parse_boundary(sides, grid.dimension),
                          OrderFour{laplacian(grid, star), shift, e2})
      .hub;
}

double far_from_symmetric(const Hub& a) {
  multigrid::OnHost host;
  return host.largest(multigrid::FarFromSymmetric{multigrid::couplings_of(a), a.values.data(), {}});
}

TEST(GridMultigridFarFromSymmetric, IsMeasured) {
  for (const auto& [name, a] : symmetric_operators()) {
    if (name.find("wide") != std::string::npos) continue;  // which has a neighbour form
    EXPECT_LE(far_from_symmetric(a), 1e-12) << name;
  }
  const Grid grid = grid_of({20, 17, 1});
  // Upwind: along x -3 and -1, across -1 and -1, beside 8 on the diagonal.
  EXPECT_NEAR(far_from_symmetric(convection(grid, "periodic", {2, 0, 0})), 4.0 / (2 * 8 + 2 * 4 + 2 * 2),
              1e-12);
  EXPECT_NEAR(far_from_symmetric(central_convection(grid, "periodic", {1, 1, 0})), 4 / 16.0, 1e-12);
  EXPECT_GT(far_from_symmetric(order_four(grid_of({20, 17, 1}, {1, 1, 1}, 2), "clamp", 10, 0.1)), 0.2);
  EXPECT_LT(far_from_symmetric(reacting(grid_of({9, 8, 1}, {1, 1, 1}, 2), "clamp", 1e-3, false)), 0.01);
}

// As PETSc's tutorials have them: rows of faces that are given, which others couple to.
TEST(GridMultigridFarFromSymmetric, GivenUnknownsDoNotCount) {
  Hub a = poisson(grid_of({12, 9, 1}), "value:0");
  for (std::int64_t row = 0; row < 12; ++row)
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      if (d != centre_of(a)) entry(a, d, 0, row) = 0;
  EXPECT_EQ(far_from_symmetric(a), 0);
  entry(a, 0, 0, 40) *= 3;
  EXPECT_GT(far_from_symmetric(a), 0.1);
}

TEST(GridMultigridFarFromSymmetric, EqualWeightsThereAndChebyshevsElse) {
  for (const auto& [name, a] : symmetric_operators()) {
    if (a.rows() < 400) continue;  // one level
    EXPECT_EQ(Cycle(a, down_to(30)).info().options.smoother, LevelSmoother::chebyshev) << name;
  }
  for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
    GridMultigridOptions options = down_to(30, precision);
    const Hub a = convection(grid_of({40, 31, 1}), "value:0", {5, 2, 0});
    EXPECT_EQ(Cycle(a, options).info().options.smoother, LevelSmoother::jacobi);
    options.smoother = LevelSmoother::chebyshev;
    EXPECT_EQ(Cycle(a, options).info().options.smoother, LevelSmoother::chebyshev);
  }
  EXPECT_EQ(Cycle(order_four(grid_of({30, 31, 1}, {1, 1, 1}, 2), "clamp", 1, 0.1), down_to(30))
                .info()
                .options.smoother,
            LevelSmoother::jacobi);
}

// No unknown couples to its own kind beside its node: the other one's couplings tell which axes are strong
// and what the faces are, and a mass matrix, as its rows have on coarse grids, is not interpolated by.
TEST(GridMultigridFarFromSymmetric, EquationsOfOrderFourAsTwo) {
  for (const auto& [n, spacing] :
       {std::pair(std::array<std::int64_t, 3>{64, 61, 1}, std::array<double, 3>{1, 1, 1}),
        {{93, 20, 1}, {1, 1, 1}},
        {{64, 24, 1}, {1, 4, 1}},
        {{17, 16, 19}, {1, 1, 1}}})
    for (const char* sides : {"clamp", "periodic"}) {
      const Hub a = order_four(grid_of(n, spacing, 2), sides, 0.01, 20);
      EXPECT_LE(bicgstab_iterations(a, down_to(100)), 7)
          << n[0] << "x" << n[1] << "x" << n[2] << ", " << spacing[1] << ", " << sides;
      EXPECT_FALSE(Cycle(a, down_to(100)).info().levels.front().by_operator);
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
