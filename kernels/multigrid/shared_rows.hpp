// The rows that are all of an operator of constant coefficients that ranks share (stored_nodes.hpp): every
// rank has them, makes all levels of them as one rank would, and takes those of its boxes out of them. The
// rows themselves are never shared out. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/multigrid/box_stored.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/shared_operator.hpp"

namespace quadrille::multigrid {

// Some block diagonals of a rank's own rows, passed to a kernel by value.
struct OwnDiagonals {
  static constexpr int most = 27;
  int count = 0;
  NodeOffset offset[most] = {};
  const double* own[most] = {};  // [column][own row], or null where this rank has none
};

// The values of a rank's own nodes, among the stored rows. A row of a diagonal's column a call.
struct TakeOwnStored {
  OwnNodes of;
  OwnDiagonals diagonals;
  double* to;  // [diagonal][column][stored row]
  constexpr std::int64_t size() const { return diagonals.count * of.stored_rows() * of.dof; }
  constexpr void operator()(std::int64_t i) const {
    const std::int64_t rows = of.stored_rows(), columns = i / rows, row = i - columns * rows,
                       diagonal = columns / of.dof, column = columns - diagonal * of.dof;
    const double* const own = diagonals.own[diagonal];
    std::array<int, 3> at{};
    if (own != nullptr && of.has(static_cast<int>(row / of.dof), at))
      to[i] = own[column * of.rows() + std::int64_t{of.index(at)} * of.dof + row % of.dof];
  }
};

// Whether one of a rank's own rows has other values than those stored for it: 1, or 0. What leads to other
// ranks' nodes is no part of `own`, and zero there. Some nodes of a line a call, so that a CPU reads columns
// along them.
struct OtherThanFew {
  static constexpr std::int64_t work = 64;
  OwnNodes of;
  OwnDiagonals diagonals;
  const double* stored;  // [diagonal][column][stored row]
  int together;
  constexpr std::int64_t size() const {
    return std::int64_t{of.size[0]} * of.size[1] * of.size[2] / together;
  }
  constexpr double operator()(std::int64_t index) const {
    const std::int64_t node = index * together, line = node / of.size[0];
    const std::array<int, 3> first{static_cast<int>(node - line * of.size[0]),
                                   static_cast<int>(line % of.size[1]), static_cast<int>(line / of.size[1])};
    for (int d = 0; d < diagonals.count; ++d)
      if (differs(d, node, first)) return 1;
    return 0;
  }

 private:
  constexpr bool differs(int diagonal, std::int64_t node, const std::array<int, 3>& first) const {
    const double* const own = diagonals.own[diagonal];
    for (int c = 0; c < of.dof; ++c)
      for (int i = 0; i < together; ++i) {
        const std::array<int, 3> at{first[0] + i, first[1], first[2]};
        const bool away = of.leads_away(at, diagonals.offset[diagonal]);
        const std::int64_t column = std::int64_t{diagonal} * of.dof + c,
                           here = c * of.rows() + (node + i) * of.dof,
                           there = column * of.stored_rows() + std::int64_t{of.stored_node(at)} * of.dof;
        for (int r = 0; r < of.dof; ++r)
          if ((own == nullptr ? 0 : own[here + r]) != (away ? 0 : stored[there + r])) return true;
      }
    return false;
  }
};

// The rows of the operator on all ranks, if few are all of it. Collective.
template <class Machine>
std::optional<FewRows> few_rows(Machine& machine, const SharedOperator<typename Machine::Space>& a,
                                const SharedStructure& structure) {
  using Space = typename Machine::Space;
  const Partition& p = a.partition;
  const std::vector<NodeOffset>& offsets = structure.offsets.all;
  FewRows few;
  few.a.dof = a.own.dof;
  few.a.extents = p.extents;
  few.a.periodic = p.periodic;
  few.a.offsets = offsets;
  few.a.fill = a.own.fill;
  few.stored = structure.few;
  if (few.stored.all || few.a.rows() > std::numeric_limits<std::int32_t>::max()) return {};

  const OwnNodes of = own_nodes(p, few.stored, a.own.dof);
  const std::int64_t block = of.stored_rows() * of.dof, own_block = of.rows() * of.dof;
  const OffsetPlaces diagonal_of(offsets);
  std::vector<std::int64_t> own_diagonal(offsets.size(), -1);
  for (std::int64_t d = 0; d < a.own.diagonals(); ++d) own_diagonal[diagonal_of(a.own.offsets[d])] = d;
  const auto each_of_own = [&](const auto& body) {  // body(diagonals, number of the first)
    OwnDiagonals some;
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      some.offset[some.count] = offsets[d];
      some.own[some.count++] =
          own_diagonal[d] < 0 ? nullptr : a.own.values.data() + own_diagonal[d] * own_block;
      if (some.count < OwnDiagonals::most && d + 1 < offsets.size()) continue;
      body(some, static_cast<std::int64_t>(d) + 1 - some.count);
      some.count = 0;
    }
  };
  Array<double, Space> found(std::ssize(offsets) * block), entries(a.ghost.nnz());
  machine.for_each(found.size(), Zero<double>{found.data()});
  each_of_own([&](const OwnDiagonals& some, std::int64_t first) {
    const TakeOwnStored take{of, some, found.data() + first * block};
    machine.for_each(take.size(), take);
  });
  machine.for_each(entries.size(), Convert<double, double>{a.ghost_values, entries.data()});
  const Array<double> mine = copy_to<Host>(found), of_ghosts = copy_to<Host>(entries);
  std::vector<double> all(mine.data(), mine.data() + mine.size());
  for (const std::int32_t k : structure.places.first) all[structure.places.of_entry[k]] += of_ghosts[k];
  a.ranks.sum(all);
  few.a.values = Array<double>(std::ssize(offsets) * block);
  std::copy(all.begin(), all.end(), few.a.values.data());

  bool differs = !has_entries_of(all, offsets, of, structure.places, of_ghosts);
  const Array<double, Space> stored = copy_to<Space>(few.a.values);
  const int together = Machine::on_gpu ? 1 : std::max(1, of.size[0]);
  each_of_own([&](const OwnDiagonals& some, std::int64_t first) {
    differs = differs || machine.largest(OtherThanFew{of, some, stored.data() + first * block, together}) > 0;
  });
  if (a.ranks.largest(differs ? 1 : 0) > 0) return {};
  return few;
}

// Of a rank's box along each axis the longest run of nodes with the same row is stored once, of lines in
// `words` as a word.
inline BoxStored stored_in_box(const RankBox& box, const std::array<std::int64_t, 3>& extents,
                               const StoredNodes& whole, bool words) {
  constexpr int word = 4;
  BoxStored in;
  in.stored.words = words && box.size[0] % word == 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int size = static_cast<int>(box.size[axis]), n = static_cast<int>(extents[axis]);
    std::vector<int> row(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const std::int64_t at = (box.first[axis] + i) % n;
      row[i] = whole.along(axis, static_cast<int>(at < 0 ? at + n : at));
    }
    int begin = 0, end = 1;
    for (int from = 0, to = 1; to <= size; ++to)
      if (to == size || row[to] != row[from]) {
        if (to - from > end - begin) begin = from, end = to;
        from = to;
      }
    const int period = axis == 0 && in.stored.words ? word : 1;
    begin = (begin + period - 1) / period * period;
    end = std::max(end / period * period, begin);
    StoredNodes& s = in.stored;
    s.n[axis] = s.low[axis] = size;
    if (end - begin > period) {
      s.low[axis] = begin;
      s.period[axis] = period;
      s.high[axis] = size - end;
      s.left_out[axis] = end - begin - period;
      s.n[axis] = size - s.left_out[axis];
      s.all = false;
      row.erase(row.begin() + begin + period, row.begin() + end);
    }
    in.of_whole[axis] = std::move(row);
  }
  if (in.stored.all) in.stored = {};
  return in;
}

}  // namespace quadrille::multigrid
