// The coarse operator P^T A P, as a hub. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/multigrid/by_kind_steps.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/galerkin_halved.hpp"

namespace quadrille::multigrid {

inline bool couples_along_axes_alone(const Couplings& s) {
  return std::all_of(s.offset, s.offset + s.count,
                     [](const auto& o) { return (o[0] != 0) + (o[1] != 0) + (o[2] != 0) == 1; });
}

// Which nodes of P^T A P have rows of their own (stored_nodes.hpp).
template <class Space>
StoredNodes stored_nodes_of_coarse(const Couplings& s, const Coarsening<Space>& next) {
  if (s.stored.all || next.by_operator || s.shared) return {};
  int n[3] = {};
  bool wraps[3] = {}, seam[3] = {};
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = static_cast<int>(next.axes()[axis].coarse);
    wraps[axis] = still_wraps(s.wraps[axis], n[axis]);
    seam[axis] = s.stored.seam[axis] || (s.wraps[axis] && next.halved[axis] && s.n[axis] % 2 != 0);
  }
  return few_nodes(n, wraps, LineWords::none, seam, s.stored.near);
}

// Of few rows and linear weights, axis by axis.
template <class Machine>
void make_by_axes(Machine& machine, const CoarseOperator& of) {
  Array<double, typename Machine::Space> before;
  if (of.by_kind) {
    before = Array<double, typename Machine::Space>((of.s.count + 1) * of.s.stored_rows);
    machine.for_each(before.size(), TakeKinds{of.s, of.values, of.centre, before.data()});
  }
  const StoredNodes& fine = of.s.stored;
  std::array<int, 3> n{fine.n[0], fine.n[1], fine.n[2]};
  const auto make = [&]<int axis>() {
    const int made = of.coarse_nodes.all ? of.p.coarse_n[axis] : of.coarse_nodes.n[axis],
              beside = n[0] * n[1] * n[2] / n[axis];
    LinearGalerkinAxis<axis, Machine::rows_of_call> step{of, before.data(), nullptr, {n[axis], made}, beside};
    n[axis] = made;
    Array<double, typename Machine::Space> after(axis > 0 || of.by_kind ? 27 * step.columns() * step.rows(1)
                                                                        : 0);
    step.to = after.data();
    machine.for_each(step.size(), step);
    before = std::move(after);
  };
  make.template operator()<2>();
  make.template operator()<1>();
  make.template operator()<0>();
  const std::int64_t diagonals = of.width[0] * of.width[1] * of.width[2];
  if (of.by_kind)
    machine.for_each(diagonals * of.coarse_rows,
                     PutKinds{of.coarse_rows, of.s.dof, before.data(), of.coarse});
}

// By the weights of all rows.
template <class Machine>
void make_by_weights(Machine& machine, const CoarseOperator& of) {
  const auto make = [&](const auto& line) { machine.for_each(line.size(), line); };
  if (of.coarse_nodes.all && of.p.regular[0].halved)
    make(GalerkinLine<ReadersOf::halved_x>{of, regular_box(of.p)});
  else if (of.coarse_nodes.all)
    make(GalerkinLine<ReadersOf::kept_x>{of, regular_box(of.p)});
  make(GalerkinLine<ReadersOf::any>{of, rest_of_coarse(of.p)});
}

// Of each kind, and what their blocks sum to.
template <class Machine>
void make_by_kind(Machine& machine, CoarseOperator of) {
  using Values = Array<double, typename Machine::Space>;
  const Couplings& s = of.s;
  Values linear, centre, sums;
  const bool by_axes = of.p.weights == nullptr && !s.stored.all;
  if (of.p.weights == nullptr && !by_axes) {
    linear = Values(std::int64_t{of.p.corners} * s.nodes);
    machine.for_each(s.nodes, LinearWeights{s, of.p, linear.data()});
    of.p.weights = linear.data();
    of.weights_of_nodes = true;
  }
  of.by_kind = true;
  if (s.mixes) {
    centre = Values(s.stored_rows);
    machine.for_each(s.stored_rows, CentreWithoutSum{s, of.values, centre.data()});
    of.centre = centre.data();
  }
  by_axes ? make_by_axes(machine, of) : make_by_weights(machine, of);
  if (!s.mixes) return;
  if (!by_axes) {
    sums = Values(of.weights_of_corner());
    machine.for_each(sums.size(), SumOfWeights{sums.size(), of.p.corners, of.p.weights, sums.data()});
  }
  const BlockOfSums block{of, by_axes ? nullptr : sums.data()};
  machine.for_each(block.size(), block);
}

// By linear weights, of all rows.
template <bool Star, class Machine>
void make_by_columns(Machine& machine, const CoarseOperator& of) {
  const Couplings& s = of.s;
  bool halved = Star ? s.whole_star && s.count == 6 : s.whole_box && s.count == 26;
  for (int axis = 0; axis < 3; ++axis)
    halved = halved && of.p.halved[axis].weights != nullptr && of.width[axis] == 3;
  if (halved)
    machine.for_whole_columns(HalvedGalerkinColumn<Star>{of, machine.galerkin_planes(of.coarse_rows)});
  else
    machine.for_columns(
        LinearGalerkinColumn<Star>{of, machine.galerkin_planes(of.coarse_rows * of.width[0])});
}

// P^T A P, with values in `coarse_nodes` where A has them in `nodes`; of a shared box, its own rows are
// right.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> galerkin(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a, const Nodes& p,
    const RankBox* shared = nullptr, const StoredNodes& nodes = {}, const StoredNodes& coarse_nodes = {},
    CoarseOperators kind = CoarseOperators::as_suits) {
  BlockDiagonals<double, typename Machine::Space> coarse;
  coarse.dof = a.dof;
  CoarseOperator of{couplings_of(a, shared, nodes), a.values.data(), p, {}, coarse_nodes, 0, nullptr, 0};
  for (int slot = 0; slot < 27; ++slot) of.couples |= of.s.box[slot] >= 0 ? 1u << slot : 0;
  for (int axis = 0; axis < 3; ++axis) {
    coarse.extents[axis] = p.coarse_n[axis];
    coarse.periodic[axis] = still_wraps(a.periodic[axis], p.coarse_n[axis]);
    of.width[axis] = p.coarse_n[axis] > 1 ? 3 : 1;
  }
  const auto reach = [&](int axis) { return of.width[axis] / 2; };
  for (int z = -reach(2); z <= reach(2); ++z)
    for (int y = -reach(1); y <= reach(1); ++y)
      for (int x = -reach(0); x <= reach(0); ++x) coarse.offsets.push_back({x, y, z});
  of.coarse_rows = coarse_nodes.all ? coarse.rows() : std::int64_t{coarse_nodes.nodes()} * a.dof;
  coarse.values = decltype(coarse.values)(coarse.diagonals() * coarse.dof * of.coarse_rows);
  of.coarse = coarse.values.data();
  if (of.s.by_kind && kind == CoarseOperators::as_suits) {
    coarse.fill = a.fill;
    machine.for_each(coarse.values.size(), Zero<double>{of.coarse});
    make_by_kind(machine, of);
  } else if (p.weights != nullptr) {
    make_by_weights(machine, of);
  } else if (!nodes.all) {
    make_by_axes(machine, of);
  } else {
    couples_along_axes_alone(of.s) ? make_by_columns<true>(machine, of) : make_by_columns<false>(machine, of);
  }
  return coarse;
}

}  // namespace quadrille::multigrid
