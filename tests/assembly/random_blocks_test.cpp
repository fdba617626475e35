#include "assembly/pde/random_blocks.hpp"
#include "assembly/pde/smooth_noise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "grid/error.hpp"

namespace quadrille {
namespace {

double value(const RandomBlocks& blocks, std::int64_t node, int point, int r, int c) {
  StencilNode at;
  at.index = node;
  StencilNeighbour neighbour;
  neighbour.point = point;
  return blocks(at, neighbour, r, c);
}

// Computed by a separate program (Python integers). The last line but one is hash number one of splitmix64
// seeded with 0.
TEST(RandomBlocks, SameNumbersOnEveryMachine) {
  EXPECT_EQ(value(random_blocks(1), 0, 0, 0, 0), 0x1.ff7c0186ee16cp-2);
  EXPECT_EQ(value(random_blocks(1), 0, 0, 0, 1), -0x1.055698dbe86acp-2);
  EXPECT_EQ(value(random_blocks(1), 5, 3, 1, 0), -0x1.096b0669b3004p-2);
  EXPECT_EQ(value(random_blocks(2), 5, 3, 1, 0), 0x1.d603a66a21afep-1);
  EXPECT_EQ(value(random_blocks(1), 123456789012, 728, 63, 62), 0x1.fe1f85b30436ep-1);
  EXPECT_EQ(counter_hash(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(value(RandomBlocks{1, true}, 0, 0, 0, 0), 2);
  EXPECT_EQ(value(RandomBlocks{1, true}, 0, 0, 0, 1), -2);
  EXPECT_EQ(value(RandomBlocks{2, true}, 5, 3, 1, 0), 4);
}

TEST(RandomBlocks, AssembledValuesAreThoseNumbers) {
  Grid grid = parse_grid("4x3");
  grid.dof = 2;
  const auto result = assemble<double>(grid, star_stencil(2, 1), {}, random_blocks(1));
  const auto& hub = result.hub;
  // node 5 = (1, 1), point 3 = +x, r = 1, c = 0
  EXPECT_EQ(hub.values[(3 * 2 + 0) * hub.rows() + 5 * 2 + 1], -0x1.096b0669b3004p-2);
  // node 0 has no neighbour below
  EXPECT_EQ(hub.values[0], 0);
}

TEST(RandomBlocks, ExtremesOfTheHash) {
  EXPECT_EQ(signed_unit(0), -1 + 0x1p-52);
  EXPECT_EQ(signed_unit(~std::uint64_t{0}), 1 - 0x1p-52);
  EXPECT_EQ(signed_unit(std::uint64_t{1} << 63), 0x1p-52);
  EXPECT_EQ(signed_unit((std::uint64_t{1} << 63) - 1), -0x1p-52);
}

// The same in one place on grids of any spacing, smooth between them, and alike around an axis.
TEST(SmoothNoise, DoesNotDependOnTheGrid) {
  for (const char* size : {"24x18", "12x9x15"}) {
    const Grid coarse = parse_grid(size);
    Grid fine = coarse;
    for (int axis = 0; axis < coarse.dimension; ++axis) fine.extents[axis] *= 8, fine.spacing_m[axis] /= 8;
    const SmoothNoise on_coarse(coarse, 3, 3), on_fine(fine, 3, 3), of_other_seed(coarse, 4, 3);
    double square = 0, step = 0, other = 0;
    for (std::int64_t node = 0; node < coarse.nodes(); ++node) {
      const Position p = node_position(coarse, node), there{8 * p.x, 8 * p.y, 8 * p.z};
      const double value = on_coarse.at(p);
      EXPECT_NEAR(value, on_fine.at(there), 1e-12);
      ASSERT_LT(std::abs(value), 1);
      square += value * value;
      step = std::max(step, std::abs(on_fine.at({there.x + 1, there.y, there.z}) - value));
      other = std::max(other, std::abs(of_other_seed.at(p) - value));
    }
    EXPECT_GT(square / static_cast<double>(coarse.nodes()), 0.03);
    EXPECT_LT(step, 2 * 15.0 / 8 / (8 * 3));  // the steepest slope of the quintic over a cell of 3 nodes
    EXPECT_GT(other, 0.5);
    EXPECT_NEAR(on_fine.at({fine.extents[0], 5, 0}), on_fine.at({0, 5, 0}), 1e-12);
  }
  const Grid wide = parse_grid("5x4");
  EXPECT_NE(SmoothNoise(wide, 1, 0.01).at({1, 0, 0}), SmoothNoise(wide, 1, 0.01).at({2, 0, 0}));
  EXPECT_NEAR(SmoothNoise(wide, 1, 1e9).at({1, 0, 0}), SmoothNoise(wide, 1, 1e9).at({4, 3, 0}), 1e-15);
}

TEST(RandomBlocks, UniformAndNeverZero) {
  const RandomBlocks real = random_blocks(9), whole = RandomBlocks{9, true};
  std::array<int, 9> count{};
  double mean = 0, square = 0;
  const int n = 80000;
  for (int i = 0; i < n; ++i) {
    const double v = value(real, i / 4, 1, i / 2 % 2, i % 2), w = value(whole, i / 4, 1, i / 2 % 2, i % 2);
    ASSERT_TRUE(v > -1 && v < 1 && v != 0);
    mean += v / n;
    square += v * v / n;
    ASSERT_TRUE(w >= -4 && w <= 4 && w != 0 && w == std::floor(w));
    ++count[static_cast<int>(w) + 4];
  }
  EXPECT_NEAR(mean, 0, 0.01);  // standard error 0.002
  EXPECT_NEAR(square, 1.0 / 3, 0.01);
  for (const int w : {-4, -3, -2, -1, 1, 2, 3, 4})
    EXPECT_NEAR(count[w + 4], n / 8, 500) << w;  // deviation 94
}

}  // namespace
}  // namespace quadrille
