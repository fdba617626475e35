#include "grid/partition.hpp"

#include <gtest/gtest.h>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Layout = std::array<int, 3>;

Partition partition(const std::array<std::int64_t, 3>& extents, const Layout& layout) {
  Partition p{extents, {}, {}, 0};
  for (int axis = 0; axis < 3; ++axis) p.cuts[axis] = even_cuts(extents[axis], layout[axis]);
  return p;
}

// PETSc's da1.c/da2.c/da3.c: lx[i] = M/m + ((M % m) > i).
TEST(Partition, AxisOfTenNodesOnFourRanks) {
  EXPECT_EQ(even_cuts(10, 4), (std::vector<std::int64_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(even_cuts(2, 4), (std::vector<std::int64_t>{0, 1, 2, 2, 2}));
}

TEST(Partition, RanksCountXFirst) {
  const Partition p = partition({5, 7, 4}, {2, 3, 2});
  EXPECT_EQ(p.ranks(), 12);
  EXPECT_EQ(box_of(p, 9).first, (NodePosition{3, 3, 2}));  // 9 = 1 + 2*(1 + 3*1)
  EXPECT_EQ(box_of(p, 9).size, (NodePosition{2, 2, 2}));
  EXPECT_EQ(box_of(p, 4).first, (NodePosition{0, 5, 0}));
}

// Numbers count box by box, x fastest; those of a rank follow each other.
TEST(Partition, NumbersAndPositionsAreInverse) {
  for (const auto& [extents, layout] : {std::pair{NodePosition{5, 7, 4}, Layout{2, 3, 2}},
                                        {NodePosition{7, 5, 1}, Layout{3, 2, 1}},
                                        {NodePosition{1, 9, 1}, Layout{1, 4, 1}},
                                        {NodePosition{3, 3, 5}, Layout{1, 1, 5}}}) {
    const Partition p = partition(extents, layout);
    std::int64_t number = 0;
    for (int rank = 0; rank < p.ranks(); ++rank) {
      const NodeBox box = box_of(p, rank);
      EXPECT_EQ(first_number(p, rank), number);
      for (std::int64_t i = 0; i < box.nodes(); ++i, ++number) {
        const NodePosition at{box.first[0] + i % box.size[0], box.first[1] + i / box.size[0] % box.size[1],
                              box.first[2] + i / box.size[0] / box.size[1]};
        ASSERT_EQ(owner_of(p, at), rank);
        ASSERT_EQ(number_of(p, at), number);
        ASSERT_EQ(position_of(p, number), at);
      }
    }
    EXPECT_EQ(number, extents[0] * extents[1] * extents[2]);
    EXPECT_EQ(first_number(p, p.ranks()), number);
  }
}

TEST(Partition, RanksWithoutNodesOwnNone) {
  const Partition p = partition({4, 4, 2}, {1, 1, 3});
  EXPECT_EQ(box_of(p, 2).nodes(), 0);
  EXPECT_EQ(owner_of(p, {3, 3, 1}), 1);
}

// Rank by rank, and x fastest in a box.
TEST(Partition, NumbersTheNodesOfAllRanks) {
  for (const NodePosition& extents : {NodePosition{4, 3, 7}, NodePosition{4, 7, 1}, NodePosition{5, 1, 1}})
    for (const int ranks : {1, 2, 3, 4}) {
      const Partition p = make_partition(extents, {true, false, false}, ranks, ranks - 1);
      EXPECT_EQ(p.ranks(), ranks);
      EXPECT_EQ(p.rank, ranks - 1);
      EXPECT_EQ(p.periodic, (std::array<bool, 3>{true, false, false}));
      for (int rank = 0, number = 0; rank < ranks; ++rank) {
        const NodeBox box = box_of(p, rank);
        EXPECT_EQ(first_number(p, rank), number);
        for (std::int64_t node = 0; node < box.nodes(); ++node, ++number) {
          const NodePosition line = box.first_of_line(node / box.size[0]);
          const NodePosition at{line[0] + node % box.size[0], line[1], line[2]};
          EXPECT_EQ(position_of(p, number), at);
          EXPECT_EQ(number_of(p, at), number);
          EXPECT_EQ(owner_of(p, at), rank);
        }
      }
      EXPECT_EQ(first_number(p, ranks), whole_box(extents).nodes());
    }
}

TEST(Partition, LayoutHasTheSmallestSurface) {
  EXPECT_EQ(rank_layout({100, 10, 1}, 4), (Layout{4, 1, 1}));
  EXPECT_EQ(rank_layout({10, 100, 1}, 4), (Layout{1, 4, 1}));
  EXPECT_EQ(rank_layout({64, 64, 1}, 4), (Layout{2, 2, 1}));
  EXPECT_EQ(rank_layout({64, 64, 64}, 8), (Layout{2, 2, 2}));
  EXPECT_EQ(rank_layout({64, 64, 64}, 2), (Layout{1, 1, 2}));
  EXPECT_EQ(rank_layout({3, 2, 1}, 6), (Layout{3, 2, 1}));
}

TEST(Partition, RefusesTooManyRanks) {
  EXPECT_THROW(rank_layout({3, 2, 1}, 7), InputError);
  EXPECT_THROW(rank_layout({3, 2, 1}, 5), InputError);
  EXPECT_THROW(rank_layout({3, 2, 1}, 0), InputError);
}

}  // namespace
}  // namespace quadrille
