#include "assembly/pde/random_blocks.hpp"

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
