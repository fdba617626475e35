// What an axis of a level is, whether the next coarser grid halves it, and how that is interpolated from
// along it. Internal to kernels/multigrid.
#pragma once

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "grid/axis_interpolation.hpp"

namespace quadrille::multigrid {

// All nodes of an axis are on the coarse grid, too.
inline AxisInterpolation same_axis(std::int64_t n, bool periodic) {
  AxisInterpolation axis;
  axis.fine = axis.coarse = n;
  axis.periodic = periodic;
  for (std::int32_t i = 0; i < n; ++i) {
    axis.node.insert(axis.node.end(), {i, i});
    axis.weight.insert(axis.weight.end(), {1, 0});
    axis.reader.push_back(i);
    axis.reader_weight.push_back(1);
  }
  axis.first.resize(n + 1);
  std::iota(axis.first.begin(), axis.first.end(), 0);
  return axis;
}

// The first axis that is the same as `axis`, or that itself: a cube's axes share their tables.
template <class Same>
int first_like(int axis, const Same& same) {
  for (int other = 0; other < axis; ++other)
    if (same(other, axis)) return other;
  return axis;
}

// What is known of a face of the grid.
struct FaceKind {
  FaceBoundary boundary;
  bool decoupled =
      false;  // its rows have nothing inwards, as those that hold a value: nothing is interpolated to them
  // What is smooth does not stay as it is towards it, of all unknowns: a body ends there that may turn, or a
  // value is seen by some unknowns and not by others.
  bool uneven = false;
  bool operator==(const FaceKind&) const = default;
};

// What an axis is, and whether it is halved: all that its tables follow from.
struct AxisChoice {
  int n = 1;
  bool wraps = false, halved = false;
  FaceKind low, high;
  // The next coarse node's share in nodes between coarse ones that are not alike (AxisSums): where the axis
  // wraps, in those beside the seam, else in the node before the last one.
  std::array<double, 2> over_seam{0.5, 0.5};
  double of_last = 0.5;
  bool operator==(const AxisChoice&) const = default;
};
using GridChoice = std::array<AxisChoice, 3>;

inline std::array<bool, 3> halved_of(const GridChoice& choice) {
  return {choice[0].halved, choice[1].halved, choice[2].halved};
}

inline AxisInterpolation interpolation_of(const AxisChoice& choice) {
  const std::int64_t n = choice.n;
  if (!choice.halved) return same_axis(n, choice.wraps);
  AxisInterpolation axis =
      nested_interpolation(n, choice.low.boundary, choice.high.boundary, choice.high.uneven);
  const auto give = [&](std::int64_t node, double share) {
    axis.weight[2 * node] = 1 - share;
    axis.weight[2 * node + 1] = share;
  };
  if (axis.periodic && n > 2) {
    give(n % 2 == 0 ? 1 : 0, choice.over_seam[0]);
    if (n % 2 == 0) give(n - 1, choice.over_seam[1]);
    add_readers(axis);
  }
  if (!axis.periodic && choice.of_last != 0.5 && n > 2 && axis.weight[2 * (n - 2) + 1] == 0.5) {
    give(n - 2, choice.of_last);
    add_readers(axis);
  }
  for (const auto& [face, node] : {std::pair(&choice.low, std::int64_t{0}), std::pair(&choice.high, n - 1)}) {
    if (!face->decoupled || n < 3) continue;
    axis.weight[2 * node] = axis.weight[2 * node + 1] = 0;
    for (std::size_t k = 0; k < axis.reader.size(); ++k)
      if (axis.reader[k] == node) axis.reader_weight[k] = 0;
  }
  return axis;
}

}  // namespace quadrille::multigrid
