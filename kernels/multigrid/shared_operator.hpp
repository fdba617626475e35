// An operator that ranks share, in their boxes with layers of others' nodes, and on every rank as a whole.
// Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/multigrid/ghost_entries.hpp"
#include "kernels/multigrid/neighbour_form.hpp"
#include "kernels/multigrid/shared_level.hpp"

namespace quadrille::multigrid {

template <class Space>
GhostEntries ghosts_of(const SharedOperator<Space>& a) {
  return {a.ghost, a.boundary_rows, a.ghost_columns};
}

// Where all couplings lead.
struct SharedOffsets {
  std::vector<NodeOffset> all;       // that any rank has, the same on all of them
  std::vector<std::int32_t> ghosts;  // [ghost entry] which of them it has
};
template <class Space>
SharedOffsets shared_offsets(const SharedOperator<Space>& a) {
  constexpr int slots = OffsetPlaces::slots;
  const std::vector<NodeOffset> ghosts = ghost_offsets(a.partition, a.own.dof, ghosts_of(a));
  std::vector<double> found(slots + 1, 0.0);  // and whether some lead further
  const auto note = [&](const NodeOffset& o) {
    found[reach_of(o) <= OffsetPlaces::reach ? OffsetPlaces::slot(o) : slots] = 1;
  };
  for (const NodeOffset& o : a.own.offsets) note(o);
  for (const NodeOffset& o : ghosts) note(o);
  a.ranks.sum(found);
  if (found[slots] > 0) throw_too_far();
  std::vector<NodeOffset> all;
  for (int slot = 0; slot < slots; ++slot)
    if (found[slot] > 0) all.push_back(OffsetPlaces::of_slot(slot));
  std::vector<std::int32_t> of_ghosts = OffsetPlaces(all).of(ghosts);
  return {std::move(all), std::move(of_ghosts)};
}

// The structure of such an operator, what it says, and what a copy of it is compared by.
struct SharedStructure {
  SharedOffsets offsets;
  StoredNodes few;      // all, where none would be enough
  StoredPlaces places;  // else

  Partition partition;
  int dof = 1;
  std::vector<NodeOffset> own;
  std::vector<std::int32_t> row_ptr, column;
  std::vector<std::int64_t> boundary_rows, ghost_columns;

  template <class Space>
  bool is_of(const SharedOperator<Space>& a) const {
    const auto same = [](const auto& kept, const auto& now) {
      return std::equal(kept.begin(), kept.end(), now.begin(), now.end());
    };
    return dof == a.own.dof && partition == a.partition && own == a.own.offsets &&
           same(row_ptr, a.ghost.row_ptr) && same(column, a.ghost.column) &&
           boundary_rows == a.boundary_rows && ghost_columns == a.ghost_columns;
  }
};

// The structure of `a`: the one before, if that is the same on all ranks. Collective.
template <class Space>
std::shared_ptr<const SharedStructure> structure_of(const SharedOperator<Space>& a,
                                                    std::shared_ptr<const SharedStructure> before) {
  if (a.ranks.largest(before != nullptr && before->is_of(a) ? 0 : 1) == 0) return before;
  SharedStructure s{shared_offsets(a),
                    {},
                    {},
                    a.partition,
                    a.own.dof,
                    a.own.offsets,
                    {a.ghost.row_ptr.begin(), a.ghost.row_ptr.end()},
                    {a.ghost.column.begin(), a.ghost.column.end()},
                    a.boundary_rows,
                    a.ghost_columns};
  int n[3];
  bool wraps[3];
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = static_cast<int>(a.partition.extents[axis]);
    wraps[axis] = a.partition.periodic[axis] && n[axis] > 1;
  }
  if (reach_of(s.offsets.all) <= 1) s.few = few_nodes(n, wraps, LineWords::none);
  if (!s.few.all)
    s.places = stored_places(own_nodes(a.partition, s.few, s.dof), ghosts_of(a), s.offsets.ghosts);
  return std::make_shared<const SharedStructure>(std::move(s));
}

// Every block column of the operator as a vector over nodes.
template <class Space>
void exchange_rows(NodeExchange& exchange, const BlockDiagonals<double, Space>& from,
                   BlockDiagonals<double, Space>& to, void* stream) {
  for (std::int64_t column = 0; column < from.diagonals() * from.dof; ++column)
    exchange.run(from.values.data() + column * from.rows(), to.values.data() + column * to.rows(), stream);
}

// This rank's box of the operator, zero in the layers.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> own_in_box(Machine& machine,
                                                           const SharedOperator<typename Machine::Space>& a,
                                                           const RankBox& box, const SharedOffsets& offsets) {
  using Space = typename Machine::Space;
  const Partition& p = a.partition;
  const BoxRows rows(box, p.extents, a.own.dof);
  BlockDiagonals<double, Space> in;
  in.dof = a.own.dof;
  in.extents = box.size;
  for (int axis = 0; axis < 3; ++axis) in.periodic[axis] = p.periodic[axis] && p.ranks_along(axis) == 1;
  in.offsets = offsets.all;
  in.fill = a.own.fill;
  const std::int64_t columns = in.diagonals() * in.dof;
  in.values = Array<double, Space>(checked_product(columns, in.rows(), "the values of multigrid"));
  machine.for_each(in.values.size(), Zero<double>{in.values.data()});
  const OffsetPlaces diagonal_of(offsets.all);
  for (std::int64_t d = 0; d < a.own.diagonals(); ++d)
    for (std::int64_t c = 0; c < in.dof; ++c)
      machine.for_each(
          rows.own_rows(),
          PutOwn<double, double>{
              rows, a.own.values.data() + (d * in.dof + c) * a.own.rows(),
              in.values.data() + (diagonal_of(a.own.offsets[d]) * std::int64_t{in.dof} + c) * in.rows()});
  const Array<std::int64_t, Space> there = copy_to<Space>(places_in_box(ghosts_of(a), offsets.ghosts, rows));
  machine.for_each(there.size(), AddEntries{there.data(), a.ghost_values, in.values.data()});
  return in;
}

// The own rows of the neighbour form, in a box with zeros in the layers. That form needs wider layers.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> own_neighbour_form(
    Machine& machine, const SharedOperator<typename Machine::Space>& a, const RankBox& box,
    const SharedOffsets& offsets) {
  using Hub = BlockDiagonals<double, typename Machine::Space>;
  const Partition& p = a.partition;
  const int reach = reach_of(offsets.all), dof = a.own.dof;
  const RankBox wide = rank_box(p, p.rank, reach);
  const auto layers = layer_exchange(a.ranks, p, dof, Machine::on_gpu, reach);
  Hub far = own_in_box(machine, a, wide, offsets);
  exchange_rows(*layers, far, far, machine.stream());
  const Hub form = neighbour_form(machine, far, p.extents, p.periodic);
  Hub in;
  static_cast<BlockStructure&>(in) = form;
  in.extents = box.size;
  in.values = decltype(in.values)(form.diagonals() * dof * in.rows());
  machine.for_each(in.values.size(), Zero<double>{in.values.data()});
  const BoxRows from(wide, p.extents, dof), to(box, p.extents, dof);
  for (std::int64_t column = 0; column < form.diagonals() * dof; ++column)
    machine.for_each(to.own_rows(), MoveOwn{from, to, form.values.data() + column * form.rows(),
                                            in.values.data() + column * in.rows()});
  return in;
}

// This rank's box of the operator, or of its neighbour form; the rows of others come by `exchange`.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> in_box(Machine& machine,
                                                       const SharedOperator<typename Machine::Space>& a,
                                                       const RankBox& box, const SharedOffsets& offsets,
                                                       NodeExchange& exchange) {
  auto in = reach_of(offsets.all) > 1 ? own_neighbour_form(machine, a, box, offsets)
                                      : own_in_box(machine, a, box, offsets);
  exchange_rows(exchange, in, in, machine.stream());
  return in;
}

// All of the operator, on every rank.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> gathered(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& box, const Partition& p,
    NodeExchange& exchange) {
  BlockDiagonals<double, typename Machine::Space> whole;
  whole.dof = box.dof;
  whole.extents = p.extents;
  whole.periodic = p.periodic;
  whole.offsets = box.offsets;
  whole.fill = box.fill;
  whole.values = Array<double, typename Machine::Space>(
      checked_product(whole.diagonals() * whole.dof, whole.rows(), "the values of multigrid"));
  exchange_rows(exchange, box, whole, machine.stream());
  return whole;
}

}  // namespace quadrille::multigrid
