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

// Every node of a box, wherever it leads, once and from who owns it.
TEST(Partition, TransfersBringAllNodes) {
  for (const auto& [extents, layout] : {std::pair{NodePosition{5, 7, 4}, Layout{2, 3, 2}},
                                        {NodePosition{2, 1, 3}, Layout{2, 1, 3}},
                                        {NodePosition{3, 9, 1}, Layout{1, 4, 1}}}) {
    const Partition p = partition(extents, layout);
    std::vector<NodeBox> arrays;  // with nodes around, which nothing may be taken from
    for (int rank = 0; rank < p.ranks(); ++rank) {
      const NodeBox own = box_of(p, rank);
      arrays.push_back({{own.first[0] - 2, own.first[1], own.first[2] - 1},
                        {own.size[0] + 3, own.size[1] + 1, own.size[2] + 1}});
    }
    for (const NodeBox& wanted :
         {whole_box(extents), NodeBox{{-2, -1, 0}, {5, 3, 2}}, NodeBox{{extents[0] - 1, 0, -4}, {3, 1, 9}}}) {
      std::vector<std::int64_t> found(static_cast<std::size_t>(wanted.nodes()), -1);
      for (const BoxTransfer& transfer : transfers(p, wanted, arrays)) {
        ASSERT_EQ(transfer.from.size, transfer.to.size);
        const NodeBox &array = arrays[transfer.rank], own = box_of(p, transfer.rank);
        for (std::int64_t i = 0; i < transfer.to.nodes(); ++i) {
          const std::int64_t from = transfer.from.place(i), line = from / array.size[0];
          const NodePosition at{array.first[0] + from % array.size[0], array.first[1] + line % array.size[1],
                                array.first[2] + line / array.size[1]};
          ASSERT_TRUE(own.contains(at));
          std::int64_t& to = found[static_cast<std::size_t>(transfer.to.place(i))];
          EXPECT_EQ(to, -1);
          to = number_of(p, at);
        }
      }
      const auto wrapped = [&](std::int64_t at, int axis) {
        return (at % extents[axis] + 5 * extents[axis]) % extents[axis];
      };
      for (std::int64_t i = 0; i < wanted.nodes(); ++i) {
        const NodePosition first = wanted.first_of_line(i / wanted.size[0]);
        EXPECT_EQ(found[static_cast<std::size_t>(i)],
                  number_of(p, {wrapped(first[0] + i % wanted.size[0], 0), wrapped(first[1], 1),
                                wrapped(first[2], 2)}));
      }
    }
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
