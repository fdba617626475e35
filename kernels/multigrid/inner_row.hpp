// The one row that all nodes far from faces have, of a level whose rows are the same everywhere but there
// (stored_nodes.hpp). Around an axis that wraps, and in a rank's box, nodes at the ends of an axis count as
// near a face: x beside them is at the other end, or not there. The host knows the row, so that kernels have
// its numbers as parameters. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

// As kernels take it as a parameter, of so many unknowns a node.
template <class T, int Dof = 1>
struct InnerRow {
  int first[3] = {}, end[3] = {};  // the nodes that have it: along x whole words of one unknown
  T a[27 * Dof * Dof] = {};        // D^-1 A by [z + 1][y + 1][x + 1][column][row], its diagonal one not used
  T diagonal[Dof * Dof] = {};      // D
};

// Of a level with up to so many unknowns a node.
template <class T>
struct InnerRows {
  static constexpr int most = 3;
  bool there = false;
  InnerRow<T, most> row;
  template <int Dof>
  InnerRow<T, Dof> of() const {
    InnerRow<T, Dof> to;
    std::copy_n(row.first, 3, to.first);
    std::copy_n(row.end, 3, to.end);
    std::copy_n(row.a, 27 * Dof * Dof, to.a);
    std::copy_n(row.diagonal, Dof * Dof, to.diagonal);
    return to;
  }
};

// Whether there are kernels that take them, of levels with at least as many numbers in the blocks of their
// diagonal.
inline bool takes_inner_row(const Couplings& s, std::int64_t from) {
  const bool has = s.dof == 1 ? s.whole_box && s.count == 26 : s.dof == 3 && s.n[2] > 1 && !s.by_kind;
  return has && !s.stored.all && s.rows * s.dof >= from;
}

// From the values of a level in host memory: D^-1 A beside the diagonal and D, as LevelRows has them.
template <class T>
InnerRows<T> inner_rows(const Couplings& s, const T* a, const T* diagonal) {
  InnerRows<T> rows;
  InnerRow<T, InnerRows<T>::most>& row = rows.row;
  if (s.dof == 1 && !s.in_words_of(rows_together<T>)) return rows;
  for (int axis = 0; axis < 3; ++axis) {
    const int least = !s.wraps[axis] && !s.shared ? 0 : s.stored.period[axis];  // whole words
    row.first[axis] = std::max(s.stored.low[axis], least);
    row.end[axis] = (axis == 0 ? s.line : s.n[axis]) - std::max(s.stored.high[axis], least);
    if (s.stored.left_out[axis] == 0 || row.end[axis] <= row.first[axis]) return rows;
  }
  const int dof = s.dof, place = s.stored.index(row.first[0], row.first[1], row.first[2]) * dof;
  const auto is_inner = [&](int node) {
    for (int r = 0; r < dof; ++r) {
      const std::int64_t own = std::int64_t{node} * dof + r;
      for (int column = 0; column < s.count * dof; ++column)
        if (a[column * s.stored_rows + own] != a[column * s.stored_rows + place + r]) return false;
      for (int c = 0; c < dof; ++c)
        if (diagonal[c * s.stored_rows + own] != diagonal[c * s.stored_rows + place + r]) return false;
    }
    return true;
  };
  const auto are_inner = [&] {
    int low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = s.stored.along(axis, row.first[axis]);
      high[axis] = s.stored.along(axis, row.end[axis] - 1);
    }
    high[0] = std::max(high[0], low[0] + s.stored.period[0] - 1);
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x)
          if (!is_inner((z * s.stored.n[1] + y) * s.stored.n[0] + x)) return false;
    return true;
  };
  if (!are_inner()) return rows;
  // Of nodes near faces, those have it that look no further than the face.
  for (int axis = 0; axis < 3; ++axis)
    for (int* const bound : {&row.first[axis], &row.end[axis]}) {
      const int before = *bound, step = s.stored.period[axis];  // whole words
      *bound += bound == &row.first[axis] ? -step : step;
      const bool inside = row.first[axis] >= step && row.end[axis] <= (axis == 0 ? s.line : s.n[axis]) - step;
      if (!inside || !are_inner()) *bound = before;
    }
  for (int k = 0; k < dof * dof; ++k) {
    const int c = k / dof, r = k % dof;
    for (int d = 0; d < s.count; ++d) {
      const auto& o = s.offset[d];
      const int slot = (o[2] + 1) * 9 + (o[1] + 1) * 3 + o[0] + 1;
      row.a[slot * dof * dof + k] = a[(d * dof + c) * s.stored_rows + place + r];
    }
    row.diagonal[k] = diagonal[c * s.stored_rows + place + r];
  }
  rows.there = true;
  return rows;
}

}  // namespace quadrille::multigrid
