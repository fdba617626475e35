// An axis that wraps, in an order in which neighbours are two places apart at most, as with six nodes
//
//     node   0 5 1 4 2 3          place  0 1 2 3 4 5
//
// Internal to kernels/multigrid.
#pragma once

namespace quadrille::multigrid {

constexpr int folded_place(int node, int nodes) {
  return 2 * node < nodes ? 2 * node : 2 * (nodes - 1 - node) + 1;
}
constexpr int node_at_folded(int place, int nodes) {
  return place % 2 == 0 ? place / 2 : nodes - 1 - place / 2;
}

}  // namespace quadrille::multigrid
