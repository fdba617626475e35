// Which nodes of a level have rows of their own. Where an operator is the same everywhere but near faces, as
// one of constant coefficients is, so are its coarse operators, and a few rows are all of it:
//
//     12 nodes along an axis    0  1  2  3  4  5  6  7  8  9 10 11
//     their rows are those of   0  1  2  2  2  2  2  2  2  2  3  4      low 2, period 1, high 2
//
// Two nodes at each face are enough on every level: a row of P^T A P reads fine rows one node away from its
// own, so that coarse rows from the third on see fine rows from the third on. Of one unknown a node there are
// four nodes at each face and four between, where that fits, so that four rows of a line are still one load.
// Internal to kernels/multigrid.
#pragma once

#include <array>
#include <cstdint>

namespace quadrille::multigrid {

struct StoredNodes {
  bool all = true;
  bool words = false;    // what stands in a line's words of four nodes stands beside each other here, too
  int n[3] = {1, 1, 1};  // stored ones along each axis; where `all`, nothing here is used
  int low[3] = {}, period[3] = {1, 1, 1}, high[3] = {};
  int left_out[3] = {};

  constexpr int nodes() const { return n[0] * n[1] * n[2]; }
  // Where the row of node i of an axis is.
  constexpr int along(int axis, int i) const {
    if (i < low[axis]) return i;
    const int from_high = i - left_out[axis];
    if (from_high >= n[axis] - high[axis]) return from_high;
    const int inside = i - low[axis];
    return low[axis] + (period[axis] == 1 ? 0 : inside % period[axis]);
  }
  constexpr int index(int x, int y, int z) const {
    return (along(2, z) * n[1] + along(1, y)) * n[0] + along(0, x);
  }
  // The first node that has the row at `place`, and how many have it.
  constexpr int first(int axis, int place) const {
    return place < n[axis] - high[axis] ? place : place + left_out[axis];
  }
  constexpr int count(int axis, int place) const {
    const bool inside = place >= low[axis] && place < n[axis] - high[axis];
    return inside ? 1 + left_out[axis] / period[axis] : 1;
  }
  constexpr std::array<int, 3> position(int stored_node) const {
    return {first(0, stored_node % n[0]), first(1, stored_node / n[0] % n[1]),
            first(2, stored_node / n[0] / n[1])};
  }
};

// The rows that are enough for a grid of n nodes along each axis, or all where those would not be fewer.
// Nodes of axes that wrap are all alike. `words`: four along x where four rows of a line are one load.
inline StoredNodes few_nodes(const int (&n)[3], const bool (&wraps)[3], bool words) {
  constexpr int near = 2, word = 4;
  words = words && !(wraps[0] || wraps[1] || wraps[2]) && n[0] % word == 0;
  StoredNodes s;
  s.words = words;
  for (int axis = 0; axis < 3; ++axis) {
    const int period = axis == 0 && words ? word : 1, margin = wraps[axis]          ? 0
                                                               : axis == 0 && words ? word
                                                                                    : near;
    s.n[axis] = s.low[axis] = n[axis];
    if (n[axis] <= 2 * margin + period) continue;
    s.low[axis] = s.high[axis] = margin;
    s.period[axis] = period;
    s.n[axis] = 2 * margin + period;
    s.left_out[axis] = n[axis] - s.n[axis];
    s.all = false;
  }
  return s;
}

}  // namespace quadrille::multigrid
