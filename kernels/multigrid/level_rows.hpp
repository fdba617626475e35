// What the rows of a level follow from its operator, and the weights of its smoother from these. Internal to
// kernels/multigrid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/multigrid/by_kind_steps.hpp"
#include "kernels/multigrid/entry_rows.hpp"
#include "kernels/multigrid/level.hpp"
#include "kernels/multigrid/rounded_rows.hpp"
#include "kernels/multigrid/setup_steps.hpp"
#include "kernels/multigrid/symbols.hpp"

namespace quadrille::multigrid {

// Of an operator with these couplings and values: D^-1 A beside the diagonal, D and D^-1, as a level has
// them, and a bound of D^-1 A's eigenvalues by its rows. Smoothers in place have no rows by kind.
template <class T, class Space>
struct LevelRows {
  Array<T, Space> scaled, of_kind, diagonal, inverse;
  EntryRows<T, Space> entries;
  Array<Bf16, Space> rounded;
  double bound = 0;
  std::optional<double> largest{};  // eigenvalue, where that is known already
  bool by_waves = true;  // else it is asked of all rows: coefficients jump, and a row says little of others
  InnerRows<T> inner;
  bool singular_blocks = false;                // of nodes that take part, where that was asked for
  std::vector<LineFactors<T, Space>> lines{};  // where the smoother wants them
};
// `entries`: of the same operator, where its rows are stored so.
template <class T, class Machine>
LevelRows<T, typename Machine::Space> level_rows(Machine& machine, const Couplings& s, const double* values,
                                                 bool looks_for_singular_blocks, bool by_kind,
                                                 EntryRows<T, typename Machine::Space> entries = {}) {
  using Values = Array<T, typename Machine::Space>;
  const std::int64_t blocks = s.stored_rows * s.dof;
  const double* const diagonal = values + s.centre * blocks;
  Array<double, typename Machine::Space> inverse(blocks);
  machine.invert_blocks(s.stored_nodes(), InvertBlocks{s.dof, s.stored_rows, diagonal, inverse.data()});
  LevelRows<T, typename Machine::Space> rows;
  rows.diagonal = Values(blocks);
  rows.inverse = Values(blocks);
  if (looks_for_singular_blocks)
    rows.singular_blocks = machine.largest(SingularBlock{s, values, inverse.data()}) > 0;
  machine.for_each(blocks, Convert<double, T>{diagonal, rows.diagonal.data()});
  machine.for_each(blocks, Convert<double, T>{inverse.data(), rows.inverse.data()});
  if (entries.there()) {
    rows.bound = machine.largest(BoundOfEntries<T>{{{s, nullptr, rows.inverse.data()}, entries.table}});
    rows.entries = std::move(entries);
  } else if (by_kind && s.by_kind) {
    rows.of_kind = Values(s.count * s.stored_rows);
    machine.for_each(s.stored_rows, TakeOfKind<T>{s, values, rows.of_kind.data()});
    rows.bound = machine.largest(BoundOfKinds<T>{s, rows.of_kind.data(), rows.inverse.data()});
  } else {
    rows.scaled = Values(s.count * blocks);
    machine.for_each(s.stored_rows, ScaleRows<T>{s, values, inverse.data(), rows.scaled.data()});
    rows.bound = machine.largest(RowBound<T>{s, rows.scaled.data()});
  }
  return rows;
}

// Whether the constants of each unknown are in the operator's null space.
template <class Machine>
bool is_singular(Machine& machine, const Couplings& s, const double* values) {
  return machine.largest(RowSum{s, values}) < 1e-8;
}

// The same with A in bf16, where that suits: rows.rounded is empty else.
template <class T, class Machine>
LevelRows<T, typename Machine::Space> rounded_level_rows(Machine& machine, const Couplings& s,
                                                         const double* values) {
  using Space = typename Machine::Space;
  LevelRows<T, Space> rows;
  if constexpr (may_be_rounded<T, Machine>) {
    if (!suits_rounding(s)) return rows;
    rows.diagonal = Array<T, Space>(s.rows);
    rows.inverse = Array<T, Space>(s.rows);
    Array<Bf16, Space> rounded(s.count * s.rows);
    rows.bound =
        machine.largest(RoundRows{s, values, rounded.data(), rows.diagonal.data(), rows.inverse.data()});
    if (rows.bound < RoundRows::unfit) rows.rounded = std::move(rounded);
  }
  return rows;
}

// The roots of Chebyshev's polynomial, by their number from the largest one on, in an order in which the
// sweeps of one half hold back what those of the other make large: each root before its mirror image, and so
// the pairs among themselves (V. Lebedev and S. Finogenov). By size, n sweeps would let rounding grow by
// 1.3^n; so by less than twice, whether they are done from the front or, after the coarser grids, from
// behind.
inline std::vector<int> stable_order(int count) {
  if (count <= 1) return std::vector<int>(static_cast<std::size_t>(count), 0);
  std::vector<int> order;
  for (const int i : stable_order((count + 1) / 2)) {
    order.push_back(i);
    if (const int mirrored = count - 1 - i; mirrored != i) order.push_back(mirrored);
  }
  return order;
}

// The weights of Chebyshev's polynomial for so many sweeps, that is smallest from `share` of the largest
// eigenvalue on.
template <class T>
std::vector<T> chebyshev_weights(double largest, double share, int sweeps) {
  std::vector<T> weights;
  for (const int i : stable_order(sweeps))
    weights.push_back(static_cast<T>(
        2 /
        (largest * ((1 + share) + (1 - share) * std::cos(std::numbers::pi * (2 * i + 1) / (2 * sweeps))))));
  return weights;
}

// Equal weights that make as little as can be of the same part: damped Jacobi.
template <class T>
std::vector<T> jacobi_weights(double largest, double share, int sweeps) {
  return std::vector<T>(static_cast<std::size_t>(sweeps), static_cast<T>(2 / (largest * (1 + share))));
}

// The bound by its rows of a star's largest eigenvalue of D^-1 A is what that comes near, if it is no more.
inline constexpr double of_dominant_rows = 2 + 1e-6;
inline bool comes_near_bound(const Couplings& s, double bound) {
  return s.count <= 6 && bound <= of_dominant_rows;
}

// Queues what machine.queued() then has for largest_eigenvalue() to take, where the bound by rows, of all
// ranks, is not what that comes near: so many results. Of `by_waves` rows, symbols (symbols.hpp); else what a
// power method makes, which comes near that eigenvalue from below.
template <class T, class Machine>
int queue_largest_eigenvalue(Machine& machine, Level<T, Machine>& level, double bound, bool by_waves) {
  const Couplings& s = level.couplings;
  if (comes_near_bound(s, bound)) return 0;
  std::int64_t nodes = s.stored_nodes();
  if (level.shared) {
    const auto& n = level.shared->partition.extents;
    nodes = n[0] * n[1] * n[2];
  }
  if (by_waves && suits_symbols(s, nodes)) return queue_symbols<T>(machine, s, level);
  constexpr int steps = 12;
  machine.for_each(s.rows, Noise<T>{level.x.data(), s, box_rows(level)});
  level.right_layers = layers_of_others;
  // x -> D^-1 A x / bound, which is two sweeps from zero with weights whose sum is zero.
  const T root = static_cast<T>(std::sqrt(1 / bound));
  for (int i = 0; i < steps; ++i) {
    need_layers(machine, level, 1);
    two_sweeps_from_zero(machine, level, level.x.data(), level.y.data(), root, -root);
    std::swap(level.x, level.y);
    lost_layer(level);
  }
  machine.queue_sums(Squares<T>{s, level.x.data(), level.y.data()});
  return 1;
}
// Where eigenvalues are complex, as may be far from symmetry, what is found of the largest one may be half of
// what is true, with which sweeps diverge: there it is not less than a Laplacian's, 2.
inline double held(double found, double bound, bool far_from_symmetric) {
  constexpr double of_laplacian = 2;
  return std::min(bound, far_from_symmetric ? std::max(found, of_laplacian) : found);
}
// By one of the results: that of symbols, or the squares of a vector after the last step and before it.
inline double largest_eigenvalue(double bound, const std::vector<double>& queued) {
  constexpr double safety = 1.1;
  if (queued.size() == 1) return queued[0];
  return queued[1] > 0 && queued[0] > 0 ? safety * bound * std::sqrt(queued[0] / queued[1]) : bound;
}

}  // namespace quadrille::multigrid
