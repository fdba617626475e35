// What vectors of a level take of an operator of which few rows are all (formats/few_rows.hpp). Internal to
// kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "formats/few_rows.hpp"
#include "formats/threads.hpp"

namespace quadrille::multigrid {

// Rows as a level has them that is in words, or of a rank's box: which nodes of it are stored, and along each
// axis which of the whole grid's stored nodes those are; -1 behind lines, where rows are zero.
struct BoxStored {
  StoredNodes stored;
  std::array<std::vector<int>, 3> of_whole;
};

// `near`: as StoredNodes has it, and no less than that of `few`.
inline BoxStored stored_in_words(const FewRows& few, LineWords words, int near) {
  int n[3];
  bool wraps[3];
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = static_cast<int>(few.a.extents[axis]);
    wraps[axis] = few.a.periodic[axis] && n[axis] > 1;
  }
  BoxStored in;
  if (!few.stored.all) in.stored = few_nodes(n, wraps, words, few.stored.seam, near);
  for (int axis = 0; axis < 3; ++axis) {
    const int count = in.stored.all ? n[axis] : in.stored.n[axis];
    for (int i = 0; i < count; ++i) {
      const int node = in.stored.all ? i : in.stored.first(axis, i);
      in.of_whole[axis].push_back(node < n[axis] ? few.along(axis, node) : -1);
    }
  }
  return in;
}

inline BoxStored stored_in_words(const FewRows& few, LineWords words) {
  return stored_in_words(few, words, few.stored.near);
}

// Columns of `few` as those of a level; in the order of its nodes where all are stored.
template <class T>
Array<T> take_stored(const Array<T>& values, const FewRows& few, const BoxStored& box) {
  const auto& [of_x, of_y, of_z] = box.of_whole;
  const int dof = few.a.dof;
  const std::int64_t from_line = std::int64_t{few.nodes(0)} * dof,
                     columns = values.size() / (from_line * few.nodes(1) * few.nodes(2)),
                     lines = std::ssize(of_y) * std::ssize(of_z), line = std::ssize(of_x) * dof;
  Array<T> to(columns * lines * line);
#pragma omp parallel for schedule(static) if (to.size() > 64 * worth_threads)  // it only copies
  for (std::int64_t i = 0; i < columns * lines; ++i) {
    const std::int64_t column = i / lines, y = of_y[i % lines % std::ssize(of_y)],
                       z = of_z[i % lines / std::ssize(of_y)];
    const T* const from = values.data() + ((column * few.nodes(2) + z) * few.nodes(1) + y) * from_line;
    T* put = to.data() + i * line;
    for (const int node : of_x) {
      if (dof == 1)
        *put++ = node < 0 ? T(0) : from[node];
      else
        put = std::copy(from + node * dof, from + (node + 1) * dof, put);  // lines have no nodes behind them
    }
  }
  return to;
}

}  // namespace quadrille::multigrid
