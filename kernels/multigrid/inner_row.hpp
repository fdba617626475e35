// The one row that all nodes far from faces have, of a level whose rows are the same everywhere but there
// (stored_nodes.hpp). Around an axis that wraps, and in a rank's box, nodes at the ends of an axis count as
// near a face: x beside them is at the other end, or not there. The host knows the row, so that kernels have
// its numbers as parameters. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

template <class T>
struct InnerRow {
  bool there = false;
  int first[3] = {}, end[3] = {};  // the nodes that have it: along x whole words
  T a[27] = {};                    // D^-1 A by [z + 1][y + 1][x + 1], its diagonal one not used
  T diagonal = 0;                  // D
};

// From the values of a level in host memory: D^-1 A beside the diagonal and D, as LevelRows has them.
template <class T>
InnerRow<T> inner_row(const Couplings& s, const T* a, const T* diagonal) {
  InnerRow<T> row;
  if (s.stored.all || !s.in_words_of(rows_together<T>)) return row;
  for (int axis = 0; axis < 3; ++axis) {
    const int least = !s.wraps[axis] && !s.shared ? 0 : s.stored.period[axis];  // whole words
    row.first[axis] = std::max(s.stored.low[axis], least);
    row.end[axis] = (axis == 0 ? s.line : s.n[axis]) - std::max(s.stored.high[axis], least);
    if (s.stored.left_out[axis] == 0 || row.end[axis] <= row.first[axis]) return row;
  }
  const int place = s.stored.index(row.first[0], row.first[1], row.first[2]);
  for (int i = 0; i < s.stored.period[0]; ++i) {
    for (int d = 0; d < s.count; ++d)
      if (a[d * s.stored_rows + place + i] != a[d * s.stored_rows + place]) return row;
    if (diagonal[place + i] != diagonal[place]) return row;
  }
  for (int d = 0; d < s.count; ++d) {
    const auto& o = s.offset[d];
    row.a[(o[2] + 1) * 9 + (o[1] + 1) * 3 + o[0] + 1] = a[d * s.stored_rows + place];
  }
  row.diagonal = diagonal[place];
  row.there = true;
  return row;
}

}  // namespace quadrille::multigrid
