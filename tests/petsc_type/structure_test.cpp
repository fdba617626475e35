// Where the couplings of a grid have their places: against DMDA's own numbers, and against every pair of
// nodes on partitions that no DMDA has.
#include "kernels/petsc/matrix/structure.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "comparison.hpp"
#include "formats/format.hpp"

namespace quadrille::type_test {
namespace {

using petsc::GridStructure;

// The global number of every node in the box that this rank sees, or -1.
std::vector<PetscInt> numbers_seen(DM da) {
  ISLocalToGlobalMapping mapping = nullptr;
  const PetscInt* numbers = nullptr;
  PetscInt count = 0;
  CALL(DMGetLocalToGlobalMapping(da, &mapping));
  CALL(ISLocalToGlobalMappingGetBlockIndices(mapping, &numbers));
  CALL(ISLocalToGlobalMappingGetSize(mapping, &count));
  PetscInt dof = 1;
  CALL(DMDAGetDof(da, &dof));
  std::vector<PetscInt> seen(numbers, numbers + count / dof);
  CALL(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &numbers));
  return seen;
}

TEST_F(MatrixType, StructureHasTheNumbersOfDmda) {
  for (const Case& c : cases(3, 30)) {
    SCOPED_TRACE(c.name());
    const auto da = make_grid(c);
    const GridStructure s = petsc::structure_of(da.get());
    const std::vector<PetscInt> numbers = numbers_seen(da.get());
    std::array<PetscInt, 3> first{}, size{1, 1, 1}, seen_first{}, seen_size{1, 1, 1};
    CALL(DMDAGetCorners(da.get(), &first[0], &first[1], &first[2], &size[0], &size[1], &size[2]));
    CALL(DMDAGetGhostCorners(da.get(), &seen_first[0], &seen_first[1], &seen_first[2], &seen_size[0],
                             &seen_size[1], &seen_size[2]));
    const auto number = [&](const NodePosition& at) {  // counted from the first own node
      std::int64_t place = 0;
      for (int axis = 2; axis >= 0; --axis) {
        const std::int64_t i = at[axis] + first[axis] - seen_first[axis];
        if (i < 0 || i >= seen_size[axis]) return std::int64_t{-2};  // an axis without neighbours
        place = place * seen_size[axis] + i;
      }
      return std::int64_t{numbers[static_cast<std::size_t>(place)]};
    };
    ASSERT_EQ(number({0, 0, 0}), s.first_node);
    std::vector<PetscInt> ghosts;
    for (std::int64_t node = 0; node < s.owned.nodes(); ++node) {
      const NodePosition at{node % size[0], node / size[0] % size[1], node / size[0] / size[1]};
      for (std::int64_t z = -c.width; z <= c.width; ++z)
        for (std::int64_t y = -c.width; y <= c.width; ++y)
          for (std::int64_t x = -c.width; x <= c.width; ++x) {
            if (!c.box && (x != 0) + (y != 0) + (z != 0) > 1) continue;
            NodePosition to{at[0] + x, at[1] + y, at[2] + z};
            for (int axis = 0; axis < 3; ++axis)  // DMDA shows no copies of nodes that are there already
              if (s.owned.periodic[axis]) to[axis] = (to[axis] % size[axis] + size[axis]) % size[axis];
            const std::int64_t expected = number(to);
            if (expected < 0) continue;
            const std::int64_t own = expected - s.first_node;
            if (own >= 0 && own < s.owned.nodes()) {
              ASSERT_GE(s.diagonal(s.own_node(node), own), 0) << node << " to " << own;
            } else {
              ASSERT_GE(s.ghost_place(s.boundary_index(node), static_cast<PetscInt>(expected)), 0)
                  << node << " to " << expected;
              ghosts.push_back(static_cast<PetscInt>(expected));
            }
          }
    }
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    EXPECT_EQ(s.ghosts, ghosts);
  }
}

struct Cut {
  std::array<std::int64_t, 3> extents;
  std::array<bool, 3> periodic;
  std::array<std::vector<std::int64_t>, 3> cuts;
  std::vector<NodeOffset> stencil;
};

// How often each node is the neighbour of each other one, by the stencil itself.
std::map<std::pair<std::int64_t, std::int64_t>, int> pairs_of(const Partition& p,
                                                              const std::vector<NodeOffset>& stencil) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> pairs;
  for (std::int64_t number = 0; number < first_number(p, p.ranks()); ++number) {
    const NodePosition at = position_of(p, number);
    for (const NodeOffset& o : stencil) {
      NodePosition to{at[0] + o.x, at[1] + o.y, at[2] + o.z};
      bool inside = true;
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t n = p.extents[axis];
        if (p.periodic[axis]) to[axis] = ((to[axis] % n) + n) % n;
        inside = inside && to[axis] >= 0 && to[axis] < n;
      }
      if (inside) pairs[{number, number_of(p, to)}] = 1;
    }
  }
  return pairs;
}

TEST(GridStructure, HasEveryNeighbourOnceOnAnyPartition) {
  const std::vector<NodeOffset> star{{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<NodeOffset> one_sided{{0, 0, 0}, {2, 1, 0}, {-1, 0, 0}, {0, -3, 0}};
  const std::vector<NodeOffset> along_z{{0, 0, -2}, {0, 0, -1}, {0, 0, 0}, {0, 1, 1}, {0, 0, 2}, {1, 1, 1}};
  const Cut all[] = {{{5, 4, 1}, {}, {{{0, 5}, {0, 2, 4}, {0, 1}}}, star},
                     {{5, 4, 1}, {true, true, false}, {{{0, 2, 5}, {0, 1, 4}, {0, 1}}}, star},
                     {{5, 4, 1}, {true, true, false}, {{{0, 5}, {0, 3, 4}, {0, 1}}}, one_sided},
                     {{6, 5, 1}, {false, true, false}, {{{0, 1, 6}, {0, 4, 5}, {0, 1}}}, one_sided},
                     {{2, 2, 1}, {true, true, false}, {{{0, 2}, {0, 1, 2}, {0, 1}}}, star},
                     {{3, 2, 1}, {false, true, false}, {{{0, 3}, {0, 1, 2, 2, 2}, {0, 1}}}, star},
                     {{3, 2, 5}, {true, false, true}, {{{0, 3}, {0, 2}, {0, 4, 5}}}, along_z},
                     {{3, 3, 4}, {true, true, true}, {{{0, 1, 3}, {0, 2, 3}, {0, 2, 4}}}, along_z},
                     {{1, 3, 7}, {false, false, true}, {{{0, 1}, {0, 3}, {0, 5, 6, 7}}}, along_z}};
  for (const Cut& cut : all) {
    Partition p{cut.extents, cut.periodic, cut.cuts, 0};
    const auto expected = pairs_of(p, cut.stencil);
    std::map<std::pair<std::int64_t, std::int64_t>, int> found;
    for (p.rank = 0; p.rank < p.ranks(); ++p.rank) {
      const GridStructure s = petsc::structure_of(p, 1, cut.stencil, "the stencil");
      if (own_box(p).nodes() == p.extents[0] * p.extents[1] * p.extents[2]) {
        EXPECT_TRUE(s.ghosts.empty());
      }
      for (std::int64_t node = 0; node < s.owned.nodes(); ++node) {
        const std::int64_t number = s.first_node + node, line = node / s.owned.extents[0];
        for (std::int64_t d = 0; d < s.owned.diagonals(); ++d) {
          const std::int64_t to = s.owned.neighbour(node % s.owned.extents[0], line % s.owned.extents[1],
                                                    line / s.owned.extents[1], s.owned.offsets[d]);
          if (to < 0) continue;
          ++found[{number, s.first_node + to}];
          EXPECT_EQ(s.diagonal(s.own_node(node), to), d);
        }
        for (std::int64_t to = 0; to < first_number(p, p.ranks()); ++to) {
          const std::int64_t own = to - s.first_node;
          const bool coupled = expected.contains({number, to});
          if (own >= 0 && own < s.owned.nodes())
            EXPECT_EQ(s.diagonal(s.own_node(node), own) >= 0, coupled) << number << " to " << to;
          else if (const bool has = s.ghost_place(s.boundary_index(node), static_cast<PetscInt>(to)) >= 0;
                   has || coupled) {
            EXPECT_TRUE(has && coupled) << number << " to " << to;
            found[{number, to}] += has;
          }
        }
      }
    }
    EXPECT_EQ(found, expected);
  }
}

// Whoever assembles in GPU memory waits for it: it is not made a node at a time. One of 1.7e9 nodes once took
// 5 s.
TEST(GridStructure, TakesNoTimePerNode) {
  constexpr std::int64_t n = 1200;
  const Partition p{{n, n, n}, {}, {{{0, n}, {0, n}, {0, n}}}, 0};
  const std::vector<NodeOffset> star{{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0},
                                     {1, 0, 0},  {0, 1, 0},  {0, 0, 1}};
  const auto start = std::chrono::steady_clock::now();
  const GridStructure s = petsc::structure_of(p, 1, star, "the star");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 1);
  EXPECT_TRUE(s.own_node((n * n + n) + 1).inner);
  EXPECT_FALSE(s.own_node(n * n + n).inner);
}

// A rank of a grid of 2^32 nodes: what it has is counted by 32 bits, where it stands is not.
TEST(GridStructure, StandsBeyond32Bits) {
  constexpr std::int64_t n = 65536;
  const Partition p{{n, n, 1}, {}, {{{0, n}, {0, 40000, 40002, n}, {0, 1}}}, 1};
  const std::vector<NodeOffset> star{{0, -1, 0}, {0, 0, 0}, {0, 1, 0}};
  if constexpr (sizeof(PetscInt) == 4) {
    EXPECT_THROW(petsc::structure_of(p, 1, star, "the star"), FormatError);
  } else {
    const GridStructure s = petsc::structure_of(p, 1, star, "the star");
    ASSERT_EQ(s.ghosts.size(), 2 * n);
    EXPECT_EQ(std::int64_t{s.ghosts.front()}, 39999 * n);
    EXPECT_EQ(std::int64_t{s.ghosts.back()}, 40003 * n - 1);
  }
}

}  // namespace
}  // namespace quadrille::type_test
