#include "grid/subdomain.hpp"

#include <gtest/gtest.h>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Layout = std::array<int, 3>;
using Extents = std::array<std::int64_t, 3>;

// PETSc's da1.c/da2.c/da3.c: lx[i] = M/m + ((M % m) > i).
TEST(Subdomain, AxisOfTenNodesOnFourRanks) {
  const Grid grid = parse_grid("10x2");
  const std::array<std::int64_t, 4> begin{0, 3, 6, 8}, count{3, 3, 2, 2};
  for (int rank = 0; rank < 4; ++rank) {
    const Subdomain box = owned_box(grid, {4, 1, 1}, rank);
    EXPECT_EQ(box.begin, (Extents{begin[rank], 0, 0}));
    EXPECT_EQ(box.extents, (Extents{count[rank], 2, 1}));
  }
}

TEST(Subdomain, RanksCountXFirst) {
  const Grid grid = parse_grid("5x7x4");
  const Subdomain box = owned_box(grid, {2, 3, 2}, 9);  // 9 = 1 + 2*(1 + 3*1)
  EXPECT_EQ(box.begin, (Extents{3, 3, 2}));
  EXPECT_EQ(box.extents, (Extents{2, 2, 2}));
  EXPECT_EQ(owned_box(grid, {2, 3, 2}, 4).begin, (Extents{0, 5, 0}));
}

TEST(Subdomain, EveryNodeHasOneOwner) {
  for (const char* text : {"7x5", "1x9", "6x5x4", "3x3x3"}) {
    const Grid grid = parse_grid(text);
    for (int ranks = 1; ranks <= 9; ++ranks) {
      Layout layout;
      try {
        layout = rank_layout(grid, ranks);
      } catch (const InputError&) {
        continue;
      }
      ASSERT_EQ(layout[0] * layout[1] * layout[2], ranks);
      std::int64_t nodes = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GE(owned_box(grid, layout, rank).nodes(), 1);
        nodes += owned_box(grid, layout, rank).nodes();
      }
      EXPECT_EQ(nodes, grid.nodes());
      for (std::int64_t node = 0; node < grid.nodes(); ++node) {
        int owners = 0;
        for (int rank = 0; rank < ranks; ++rank)
          owners += owned_box(grid, layout, rank).owns(node_position(grid, node));
        EXPECT_EQ(owners, 1) << text << " ranks " << ranks << " node " << node;
      }
    }
  }
}

TEST(Subdomain, LayoutHasTheSmallestSurface) {
  EXPECT_EQ(rank_layout(parse_grid("100x10"), 4), (Layout{4, 1, 1}));
  EXPECT_EQ(rank_layout(parse_grid("10x100"), 4), (Layout{1, 4, 1}));
  EXPECT_EQ(rank_layout(parse_grid("64x64"), 4), (Layout{2, 2, 1}));
  EXPECT_EQ(rank_layout(parse_grid("64x64x64"), 8), (Layout{2, 2, 2}));
  EXPECT_EQ(rank_layout(parse_grid("64x64x64"), 2), (Layout{1, 1, 2}));
  EXPECT_EQ(rank_layout(parse_grid("3x2"), 6), (Layout{3, 2, 1}));
}

TEST(Subdomain, RefusesTooManyRanks) {
  EXPECT_THROW(rank_layout(parse_grid("3x2"), 7), InputError);
  EXPECT_THROW(rank_layout(parse_grid("3x2"), 5), InputError);
  EXPECT_THROW(rank_layout(parse_grid("3x2"), 0), InputError);
  EXPECT_THROW(owned_box(parse_grid("3x2"), {4, 1, 1}, 0), InputError);
  EXPECT_THROW(owned_box(parse_grid("3x2"), {1, 1, 2}, 0), InputError);
  EXPECT_THROW(owned_box(parse_grid("3x2"), {0, 1, 1}, 0), InputError);
  EXPECT_THROW(owned_box(parse_grid("3x2"), {3, 2, 1}, 6), InputError);
  EXPECT_THROW(owned_box(parse_grid("3x2"), {3, 2, 1}, -1), InputError);
}

}  // namespace
}  // namespace quadrille
