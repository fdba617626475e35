// Linear interpolation along one axis, from a coarse set of nodes to a fine one, as tables; a grid's
// interpolation is the product of those of its axes.
//
// Fine node i becomes  weight[2i] x[node[2i]] + weight[2i + 1] x[node[2i + 1]].  Where it reads one coarse
// node only, the second weight is 0 and the second node is the first again. The same weights stand in
// `reader_*`, coarse node by coarse node: fine nodes reader[first[j]] .. reader[first[j + 1] - 1] read coarse
// node j, ascending. They are what restriction, the transpose, gathers.
//
//   5 fine nodes, 2 coarse, values one spacing beyond both ends
//
//     |  o  o  o  o  o  |        node    0 0   0 0   0 1     1 1   1 1
//     |     0     1     |        weight  1/2 0   1 0   1/2 1/2   1 0   1/2 0
#pragma once

#include <cstdint>
#include <vector>

#include "grid/boundary.hpp"

namespace quadrille {

struct AxisInterpolation {
  std::int64_t fine = 1, coarse = 1;  // nodes
  bool periodic = false;
  std::vector<std::int32_t> node;   // [fine node][2]
  std::vector<double> weight;       // [fine node][2]
  std::vector<std::int32_t> first;  // [coarse + 1]
  std::vector<std::int32_t> reader;
  std::vector<double> reader_weight;
  // Nested sets: the first coarse node among the fine ones, and whether the others are as if it were node 0.
  std::int64_t offset = 0;
  bool first_is_moved = false;
  bool operator==(const AxisInterpolation&) const = default;
};

// Of nested sets of which one is half of the other: where a coarse node stands among the fine ones.
constexpr std::int64_t fine_of_coarse(const AxisInterpolation& axis, std::int64_t coarse) {
  const std::int64_t at = 2 * coarse + (axis.first_is_moved && coarse > 0 ? 0 : axis.offset);
  return at < axis.fine ? at : axis.fine - 1;  // of a last one that is kept
}

// Makes `first` and the readers from `node` and `weight`.
void add_readers(AxisInterpolation& axis);

// Both sets span the same length, as the operators place their faces (assembly/pde/manufactured.hpp): node i
// of n stands at (i + a)/(n - 1 + a + b) of it, with a and b the distances to the faces in spacings, 1 where
// a face holds a value (or drops the neighbour, which is the value 0) and 1/2 where it clamps; at i/n of a
// periodic axis. Beyond the last coarse node the interpolated function goes to 0 in a face with a value, and
// stays constant towards one that clamps. Any sizes fit each other.
AxisInterpolation interpolation_by_position(std::int64_t fine, std::int64_t coarse, const FaceBoundary& low,
                                            const FaceBoundary& high);

// Every other fine node is a coarse one, from the second on where the low face holds a value and from the
// first on elsewhere. Around a periodic axis with an odd number of nodes two coarse ones are side by side.
// They are nodes 1 and 2, and node 0 is between the last coarse node and the first: a short spacing does not
// stay as it is on every coarser grid, where nodes that nearly coincide would slow multigrid down.
//
//     |  o  o  o  o  o  |        node    2 0   0 0   1 1     1 2   2 2
//     |     0  1     2  |        weight  1/2 1/2   1 0   1 0   1/2 1/2   1 0
//
// `keep_last`: the last node is a coarse one, too, where every other one leaves it out. For functions that do
// not stay as they are towards the high face.
//
//     |  o  o  o  o  o  o  o  o  |        node    0 0   0 1   1 1   1 2   2 2   2 3   3 3   4 4
//     |  0     1     2     3  4  |
//
// Whatever the number of nodes, products P^T A P with it couple no coarse nodes beyond the next ones if A
// does not. Sizes that are no better halved (one node) stay.
AxisInterpolation nested_interpolation(std::int64_t fine, const FaceBoundary& low, const FaceBoundary& high,
                                       bool keep_last = false);

// What DMCreateInterpolation (Q1) of PETSc's DMDA does: the first node stands on the first and the last on
// the last; along a periodic axis every r-th fine node is a coarse one. Throws InputError unless the ratio r
// is a whole number.
AxisInterpolation dmda_interpolation(std::int64_t fine, std::int64_t coarse, bool periodic);

// Some of the fine nodes and the coarse ones that they read, counted anew: what a rank needs of an
// interpolation.
struct AxisPart {
  AxisInterpolation axis;                  // not periodic: what wraps is a node like the others
  std::vector<std::int32_t> coarse_nodes;  // [coarse of `axis`] numbers in the whole, ascending
};

// The fine nodes first .. first + count - 1 of `whole`. Throws InputError where it has not got them.
AxisPart part_of(const AxisInterpolation& whole, std::int64_t first, std::int64_t count);

}  // namespace quadrille
