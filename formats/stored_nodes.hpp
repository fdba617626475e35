// Which nodes of a grid have rows of their own. Where an operator is the same everywhere but near faces, as
// one of constant coefficients is, so are its coarse operators, and a few rows are all of it:
//
//     12 nodes along an axis    0  1  2  3  4  5  6  7  8  9 10 11
//     their rows are those of   0  1  2  2  2  2  2  2  2  2  3  4      low 2, period 1, high 2
//
// Two nodes at each face are enough on every level: a row of P^T A P reads fine rows one node away from its
// own, so that coarse rows from the third on see fine rows from the third on. Three are where coarse
// operators are made stable, for then a coarse row depends on those beside it, and so on fine rows three
// nodes away. Of one unknown a node multigrid has four nodes at each face and four between, so that four rows
// of a line are still one load; where lines have no whole number of words, the vectors of a level have up to
// three nodes more behind each, whose rows are zero.
//
// Around an axis that wraps all nodes are alike, on coarser grids, too, as long as each has an even number of
// nodes. An odd number leaves two coarse nodes side by side: from there on the axis has a seam, which is as
// two faces are.
#pragma once

#include <array>
#include <cstdint>

namespace quadrille {

struct StoredNodes {
  static constexpr int usual = 2, of_advection = 3;

  bool all = true;
  bool words = false;    // what stands in a line's words of four nodes stands beside each other here, too
  int line = 0;          // of a vector: nodes along x with those behind them; 0: no more
  int n[3] = {1, 1, 1};  // stored ones along each axis; where `all`, nothing here is used
  int low[3] = {}, period[3] = {1, 1, 1}, high[3] = {};  // the period is a power of two
  int left_out[3] = {};
  bool seam[3] = {};  // of an axis that wraps
  int near = usual;   // nodes at a face whose rows may be others, on every level

  constexpr int nodes() const { return n[0] * n[1] * n[2]; }
  // Where the row of node i of an axis is.
  constexpr int along(int axis, int i) const {
    const int from_high = i - left_out[axis], inside = (i - low[axis]) & (period[axis] - 1);
    return i < low[axis] ? i : from_high >= n[axis] - high[axis] ? from_high : low[axis] + inside;
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

enum class LineWords { none, whole, padded };  // of lines that are whole words, or nearly

// The rows that are enough for a grid of n nodes along each axis, or all where those would not be fewer.
inline StoredNodes few_nodes(const int (&n)[3], const bool (&wraps)[3], LineWords words,
                             const bool (&seam)[3] = {false, false, false}, int near = StoredNodes::usual) {
  constexpr int word = 4;
  const int whole = (n[0] + word - 1) / word * word;
  StoredNodes s;
  s.near = near;
  s.words = words != LineWords::none &&
            (whole == n[0] || (!wraps[0] && words == LineWords::padded && 8 * (whole - n[0]) <= n[0]));
  for (int axis = 0; axis < 3; ++axis) {
    const bool in_words = axis == 0 && s.words;
    const int size = in_words ? whole : n[axis],
              low = wraps[axis] && !seam[axis] ? 0
                    : in_words                 ? word
                                               : near,
              high = size > n[axis] ? low + word : low, period = in_words ? word : 1;
    if (axis == 0) s.line = size;
    s.seam[axis] = seam[axis];
    s.n[axis] = s.low[axis] = size;
    if (size <= low + period + high) continue;
    s.low[axis] = low;
    s.high[axis] = high;
    s.period[axis] = period;
    s.n[axis] = low + period + high;
    s.left_out[axis] = size - s.n[axis];
    s.all = false;
  }
  return s.all ? StoredNodes{} : s;
}

}  // namespace quadrille
