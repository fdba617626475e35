// What makes coarse operators of advection stable. Central differences are, where h |v| is at most twice the
// diffusivity; a coarse grid has twice the h, so that P^T A P of a stable operator is not stable in the end:
// it has waves from node to node that cycles make larger. There each pair of nodes gets as much diffusion
// between the two as it lacks, which is discrete upwinding (Kuzmin and Turek, Flux correction tools for
// finite elements, 2002) of what the symmetric part does not cover. Symmetric operators are left as they are,
// bit by bit, and sums of rows stay. Internal to kernels/multigrid.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernels/multigrid/setup_steps.hpp"
#include "kernels/multigrid/shared_operator.hpp"

namespace quadrille::multigrid {

// The entries for one unknown between a node and its neighbour, in the one's row and in the other's.
struct PairOfEntries {
  double own = 0, opposite = 0;
  // Half their difference, and half of that beyond half their sum.
  constexpr double antisymmetric() const { return absolute(own - opposite) / 2; }
  constexpr double missing() const {
    const double beyond = antisymmetric() - absolute(own + opposite) / 2;
    return beyond > 0 ? beyond : 0;
  }
};

struct PairsOfEntries {
  Couplings s;
  const double* values;

  // In the row of a node's unknown, for the same one; `place` is where the values of the node begin.
  constexpr double entry(int diagonal, std::int64_t place, int unknown) const {
    return values[(std::int64_t{diagonal} * s.dof + unknown) * s.stored_rows + place + unknown];
  }
  constexpr double diagonal(std::int64_t place, int unknown) const { return entry(s.centre, place, unknown); }
  // Whether the unknown is given: its row has no couplings to it elsewhere, whatever other rows have.
  constexpr bool is_given(std::int64_t place, int unknown) const {
    for (int d = 0; d < s.count; ++d)
      if (entry(s.diagonal[d], place, unknown) != 0) return false;
    return true;
  }
  // With the node `there` at coupling d.
  constexpr PairOfEntries pair(std::int64_t place, std::int64_t there, int d, int unknown) const {
    const signed char* const o = s.offset[d];
    const int back = s.box[(1 - o[2]) * 9 + (1 - o[1]) * 3 + 1 - o[0]];
    return {entry(s.diagonal[d], place, unknown), back < 0 ? 0 : entry(back, there, unknown)};
  }
};

// The largest sum over a row's couplings, as a part of its diagonal, of what is antisymmetric or, with
// Missing, of what is missing. Of a row of `nodes` a call. Couplings to unknowns that are given, as PETSc's
// tutorials have them in faces, are no advection.
template <bool Missing>
struct LargestAdvection {
  static constexpr std::int64_t work = 10;
  PairsOfEntries pairs;
  StoredNodes nodes;
  constexpr std::int64_t size() const {
    return std::int64_t{nodes.all ? pairs.s.nodes : nodes.nodes()} * pairs.s.dof;
  }
  constexpr double operator()(std::int64_t row) const {
    const Couplings& s = pairs.s;
    const int number = s.node_of(row), unknown = static_cast<int>(row - std::int64_t{number} * s.dof);
    const std::array<int, 3> at = nodes.all ? s.position(number) : nodes.position(number);
    if (at[0] >= s.n[0]) return 0;
    const int node = s.index(at);
    if (!s.owns(node)) return 0;
    const std::int64_t place = s.place(std::int64_t{node} * s.dof);
    double sum = 0;
    with_loaded(
        s.count,
        [&](int d) {
          return s.leads_inside(at, d) ? pairs.pair(place, s.place_beside(at, node, d), d, unknown)
                                       : PairOfEntries{};
        },
        [&](int d, const PairOfEntries& pair) {
          const double more = Missing ? pair.missing() : pair.antisymmetric();
          if (more > 0 && !pairs.is_given(s.place_beside(at, node, d), unknown)) sum += more;
        });
    if (sum == 0 || pairs.is_given(place, unknown)) return 0;
    const double diagonal = absolute(pairs.diagonal(place, unknown));
    return diagonal > 0 ? sum / diagonal : 0;
  }
};

struct CopyValues {
  static constexpr bool light = true;
  const double* from;
  double* to;
  constexpr void operator()(std::int64_t i) const { to[i] = from[i]; }
};

// A stored row a call; `to` are the values before.
struct AddMissing {
  static constexpr std::int64_t work = 10;
  PairsOfEntries pairs;
  double* to;
  constexpr void operator()(std::int64_t row) const {
    const Couplings& s = pairs.s;
    const int stored = s.node_of(row), unknown = static_cast<int>(row - std::int64_t{stored} * s.dof);
    const std::array<int, 3> at = s.stored_position(stored);
    if (at[0] >= s.n[0]) return;
    const int node = s.index(at);
    const std::int64_t place = row - unknown;
    const double sign = pairs.diagonal(place, unknown) < 0 ? -1 : 1;
    const auto entry = [&](int diagonal) -> double& {
      return to[(std::int64_t{diagonal} * s.dof + unknown) * s.stored_rows + row];
    };
    for (int d = 0; d < s.count; ++d) {
      if (!s.leads_inside(at, d)) continue;
      const double more = sign * pairs.pair(place, s.place_beside(at, node, d), d, unknown).missing();
      entry(s.diagonal[d]) -= more;
      entry(s.centre) += more;
    }
  }
};

// Keeps the levels of one operator stable. Whether they are to be watched, is seen once.
class Stability {
 public:
  // Of an operator that is known to be symmetric nothing need be looked at.
  void take_as_symmetric() { advective_ = false; }
  // Of rows that this rank has, those of `nodes`.
  template <class Machine>
  bool is_advective(Machine& machine, const Couplings& s, const double* values, const StoredNodes& nodes) {
    if (!advective_) advective_ = machine.largest(LargestAdvection<false>{{s, values}, nodes}) > 1e-10;
    return *advective_;
  }
  // A coarse operator that this rank has all of.
  template <class Machine>
  void keep(Machine& machine, BlockDiagonals<double, typename Machine::Space>& a,
            const StoredNodes& stored = {}) {
    const Couplings s = couplings_of(a, nullptr, stored);
    if (is_advective(machine, s, a.values.data(), stored) && add_missing(machine, a, s)) added_ = true;
  }
  // Of a box, the rows of other ranks with it.
  template <class Machine>
  void keep(Machine& machine, BlockDiagonals<double, typename Machine::Space>& a, const SharedLevel& level) {
    const Couplings s = couplings_of(a, &level.box);
    const bool known = advective_.has_value(), here = is_advective(machine, s, a.values.data(), {});
    if (!known) advective_ = anywhere(here, level);
    if (!*advective_ || !anywhere(add_missing(machine, a, s), level)) return;
    added_ = true;
    exchange_rows(*level.layers, a, a, machine.stream());
  }
  bool added() const { return added_; }

 private:
  // Whether something was missing.
  template <class Machine>
  static bool add_missing(Machine& machine, BlockDiagonals<double, typename Machine::Space>& a,
                          const Couplings& s) {
    const PairsOfEntries pairs{s, a.values.data()};
    if (machine.largest(LargestAdvection<true>{pairs, s.stored}) < 1e-6) return false;
    Array<double, typename Machine::Space> values(a.values.size());
    machine.for_each(values.size(), CopyValues{a.values.data(), values.data()});
    machine.for_each(std::int64_t{s.stored_nodes()} * s.dof, AddMissing{pairs, values.data()});
    a.values = std::move(values);
    return true;
  }
  static bool anywhere(bool here, const SharedLevel& level) {
    std::vector<double> count{here ? 1.0 : 0.0};
    level.ranks->sum(count);
    return count[0] > 0;
  }

  std::optional<bool> advective_;
  bool added_ = false;
};

}  // namespace quadrille::multigrid
