// Coefficients that vary from node to node: by how much it takes until interpolation follows them, and a
// large coarsest grid is solved directly.
#include "cases.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

constexpr std::array<std::int64_t, 3> n{48, 48, 48};
constexpr std::int64_t smallest = 6 * 6 * 6, early = 12 * 12 * 12;  // unknowns of coarsest grids

// 1 and `ratio` by turns, in boxes of five nodes along each axis.
Hub boxes(double ratio, const std::string& sides) {
  const Grid grid = grid_of(n);
  Array<double> a(grid.rows());
  for (std::int64_t i = 0; i < grid.rows(); ++i)
    a[i] = (i % n[0] / 5 + i / n[0] % n[1] / 5 + i / n[0] / n[1] / 5) % 2 == 0 ? 1 : ratio;
  return diffusion_of(grid, sides, std::move(a));
}
std::int64_t coarsest_unknowns(const Cycle& m) {
  const std::array<std::int64_t, 3>& last = m.info().levels.back().extents;
  return last[0] * last[1] * last[2];
}

// Harmonic means of 1 and 4 differ from those by less than three times, of 1 and 10 by more, and not by
// twenty.
TEST(GridMultigridVaryingCoefficients, AreFollowedAsFarAsTheyVary) {
  for (const char* sides : {"value:0", "clamp", "periodic"}) {
    SCOPED_TRACE(sides);
    for (const double ratio : {1.3, 4.0, 10.0, 1e4}) {
      if (sanitized && ratio != 10) continue;
      const Hub a = boxes(ratio, sides);
      Cycle m(a, in(CyclePrecision::fp64));
      EXPECT_EQ(m.info().levels.front().by_operator, ratio > 4) << ratio;
      EXPECT_EQ(coarsest_unknowns(m), ratio > 10 ? early : smallest) << ratio;
      EXPECT_LE(cg_iterations(a, m), ratio <= 10 ? 12 : 26) << ratio;
    }
  }
}

// What a step in time adds to the diagonal takes couplings of coarse grids through zero: sweeps do for those.
TEST(GridMultigridVaryingCoefficients, OfAStepInTimeAreNoJumps) {
  for (const double rate : {0.01, 0.1, 0.5, 1.0, 2.0, 10.0}) {
    if (sanitized && rate != 0.5) continue;
    Hub a = boxes(4, "value:0");
    for (std::int64_t row = 0; row < a.rows(); ++row) entry(a, centre_of(a), 0, row) += rate;
    Cycle m(a, in(CyclePrecision::fp64));
    EXPECT_FALSE(m.info().levels.front().by_operator) << rate;
    EXPECT_EQ(coarsest_unknowns(m), smallest) << rate;
    EXPECT_LE(cg_iterations(a, m), 9) << rate;
  }
}

}  // namespace
}  // namespace quadrille::multigrid_test
