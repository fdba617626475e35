#include "grid/grid.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "grid/error.hpp"

namespace quadrille {
namespace {

TEST(Grid, ParsesAndPrints) {
  const Grid flat = parse_grid("7x5");
  EXPECT_EQ(flat.dimension, 2);
  EXPECT_EQ(flat.extents, (std::array<std::int64_t, 3>{7, 5, 1}));
  const Grid solid = parse_grid("7x5x1");
  EXPECT_EQ(solid.dimension, 3);
  EXPECT_EQ(solid.nodes(), 35);
  EXPECT_EQ(to_string(flat), "7x5");
  EXPECT_EQ(to_string(solid), "7x5x1");
}

TEST(Grid, RefusesWhatIsNotAGrid) {
  for (const char* text : {"", "7", "7x", "x7", "7x5x", "7x5x3x2", "7,5", "0x5", "7x-5", "7.5x5", "7x5 ",
                           "9223372036854775807x9223372036854775807", "99999999999999999999x2"})
    EXPECT_THROW(parse_grid(text), InputError) << text;
}

TEST(Grid, ValidatesSpacingAndDof) {
  Grid grid = parse_grid("4x4");
  grid.dof = 65;
  EXPECT_THROW(validate(grid), InputError);
  grid.dof = 64;
  EXPECT_NO_THROW(validate(grid));
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    grid.spacing_m[1] = bad;
    EXPECT_THROW(validate(grid), InputError) << bad;
  }
}

TEST(Grid, NodeIndexRunsXFirst) {
  const Grid grid = parse_grid("3x4x5");
  EXPECT_EQ(node_index(grid, {2, 3, 4}), 59);
  EXPECT_EQ(node_index(grid, {1, 2, 3}), 3 * 12 + 2 * 3 + 1);
  for (std::int64_t node = 0; node < grid.nodes(); ++node)
    EXPECT_EQ(node_index(grid, node_position(grid, node)), node);
}

}  // namespace
}  // namespace quadrille
