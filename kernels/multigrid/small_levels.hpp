// The levels that are too small to keep a GPU busy, one after the other in one launch: each of their steps
// takes a launch longer than it computes. A cluster of blocks does the steps of cycle_steps.hpp and
// transfer_steps.hpp, from the first of these levels down to the coarsest and up again, and waits for itself
// between two of them. Internal to kernels/multigrid.
#pragma once

#include <cstdint>

#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/transfer_steps.hpp"

namespace quadrille::multigrid {

// Of one unknown a node and two sweeps before and after the coarser grid.
template <class T>
struct SmallLevel {
  Couplings s;
  const T *scaled, *diagonal, *inverse;
  T *b, *g, *x, *y;  // where has_g, b is not used: what restricts to this level makes g
  T first, second;   // weights of the sweeps
  Transfer<T> p;     // from the next level
  bool has_g;
};

template <class T>
struct SmallLevels {
  static constexpr int most = 4;
  // Rows of the largest one: some words of each of the cluster's threads.
  static constexpr std::int64_t most_rows = 40000;
  static constexpr std::int64_t most_coarsest_rows = 1024;
  int count = 0;  // without the coarsest
  SmallLevel<T> level[most];
  // The coarsest: x = inverse b, [row][column].
  std::int64_t coarsest_rows = 0;
  const double* inverse = nullptr;
  const T* coarsest_b = nullptr;
  T* coarsest_x = nullptr;
};

}  // namespace quadrille::multigrid
