// How ranks share the nodes of a grid: a box each, cut by the same planes along every axis, as in PETSc's
// DMDA.
//
//   7 x 5 nodes, 3 x 2 ranks             ranks 3 4 5      cuts[0]  0 3 5 7
//                                              0 1 2      cuts[1]  0 3 5
//
// Nodes have a position in the grid, and a number by which the vectors of all ranks hold them: rank by rank,
// and x fastest within a box.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace quadrille {

using NodePosition = std::array<std::int64_t, 3>;

struct NodeBox {
  NodePosition first{0, 0, 0}, size{1, 1, 1};
  constexpr std::int64_t nodes() const { return size[0] * size[1] * size[2]; }
  // Lines of nodes along x, and where the first node of line `i` is, x fastest, then y.
  constexpr std::int64_t lines() const { return size[1] * size[2]; }
  constexpr NodePosition first_of_line(std::int64_t i) const {
    return {first[0], first[1] + i % size[1], first[2] + i / size[1]};
  }
  constexpr bool contains(const NodePosition& at) const {
    for (int axis = 0; axis < 3; ++axis)
      if (at[axis] < first[axis] || at[axis] >= first[axis] + size[axis]) return false;
    return true;
  }
};

// The nodes of a box in an array that has those of a larger one.
struct BoxWithin {
  NodePosition size{1, 1, 1};
  std::int64_t first = 0, line = 0, plane = 0;  // the first node; from a line, a plane, to the next one
  constexpr std::int64_t nodes() const { return size[0] * size[1] * size[2]; }
  constexpr std::int64_t place(std::int64_t node) const {  // x fastest
    return first + node % size[0] + node / size[0] % size[1] * line + node / size[0] / size[1] * plane;
  }
};
constexpr BoxWithin within(const NodeBox& larger, const NodeBox& box) {
  BoxWithin in{box.size, 0, larger.size[0], larger.size[0] * larger.size[1]};
  in.first = (box.first[2] - larger.first[2]) * in.plane + (box.first[1] - larger.first[1]) * in.line +
             box.first[0] - larger.first[0];
  return in;
}

constexpr NodeBox whole_box(const std::array<std::int64_t, 3>& extents) {
  return {{0, 0, 0}, extents};
}

struct Partition {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::array<bool, 3> periodic{};
  // The first node of each rank along an axis, ascending, and behind them the nodes of the axis.
  std::array<std::vector<std::int64_t>, 3> cuts{{{0, 1}, {0, 1}, {0, 1}}};
  int rank = 0;  // this one

  bool operator==(const Partition&) const = default;
  int ranks_along(int axis) const { return static_cast<int>(cuts[axis].size()) - 1; }
  int ranks() const { return ranks_along(0) * ranks_along(1) * ranks_along(2); }
};

// Where a rank stands among the others along each axis, and its nodes.
std::array<int, 3> place_of(const Partition& p, int rank);
NodeBox box_of(const Partition& p, int rank);
inline NodeBox own_box(const Partition& p) {
  return box_of(p, p.rank);
}

// What a rank gets from another one, or has itself: nodes of both in the same order.
struct BoxTransfer {
  int rank = 0;
  BoxWithin from, to;  // in that rank's array, and in that of who gets them
};

// All nodes of `wanted`, which may lead past the ends of the grid and around, from their owners: arrays[rank]
// are the nodes that each of them has an array of.
std::vector<BoxTransfer> transfers(const Partition& p, const NodeBox& wanted,
                                   const std::vector<NodeBox>& arrays);

// Who owns the node at a position within the grid.
int owner_of(const Partition& p, const NodePosition& at);

// The number of a rank's first node; past the last rank, of all nodes.
std::int64_t first_number(const Partition& p, int rank);
std::int64_t number_of(const Partition& p, const NodePosition& at);
NodePosition position_of(const Partition& p, std::int64_t number);

// How many ranks stand along each axis: the factorisation of `ranks` with the smallest surface between boxes.
// Throws InputError when no factorisation leaves every rank a node.
std::array<int, 3> rank_layout(const std::array<std::int64_t, 3>& extents, int ranks);

// `ranks` shares of an axis, the first ones one node longer where it does not divide, as DMDA does it; some
// are empty where there are more ranks than nodes.
std::vector<std::int64_t> even_cuts(std::int64_t nodes, int ranks);

// Boxes by rank_layout(), with even shares of each axis. Throws as rank_layout().
Partition make_partition(const std::array<std::int64_t, 3>& extents, const std::array<bool, 3>& periodic,
                         int ranks, int rank);

}  // namespace quadrille
