// An operator that couples nodes further apart, as one of neighbours that does nearly the same to what is
// smooth: multigrid of this one preconditions that. Internal to kernels/multigrid.
//
// A coupling a from node i to node j, m nodes away, goes along a path of m steps between neighbours, which is
// the same one from j to i. Its symmetric part s becomes m s on every step, as the energy s (u_i - u_j)^2 is
// that of m s (u_k - u_k+1)^2 where u is linear; its other part t becomes t on every step. Row sums stay, and
// symmetry. Half-way around an axis that wraps, a half of the coupling goes each way.
//
//   i . . j      a u_j      ->      a u_i  +  m a (u_1 - u_i), in row i, and m a (u_k+1 - u_k) in row k
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

inline constexpr int furthest_coupling = 4;

inline int reach_of(const NodeOffset& o) {
  return std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)});
}
inline int reach_of(const std::vector<NodeOffset>& offsets) {
  int reach = 0;
  for (const NodeOffset& o : offsets) reach = std::max(reach, reach_of(o));
  return reach;
}

// Of the box of neighbours, by [z + 1][y + 1][x + 1].
constexpr int slot_of(int x, int y, int z) {
  return (z + 1) * 9 + (y + 1) * 3 + x + 1;
}
inline int slot_of(const NodeOffset& o) {
  return slot_of(o.x, o.y, o.z);
}

[[noreturn]] inline void throw_too_far() {
  throw FormatError("multigrid takes operators that couple nodes at most " +
                    std::to_string(furthest_coupling) + " apart along an axis");
}

// All couplings of a row of the new operator a call. Passed by value.
struct NeighbourForm {
  static constexpr int most =
      (2 * furthest_coupling + 1) * (2 * furthest_coupling + 1) * (2 * furthest_coupling + 1);
  int n[3] = {1, 1, 1};
  bool wraps[3] = {};
  int dof = 1, count = 0;
  std::int64_t rows = 0;
  signed char offset[most][3] = {};
  short opposite[most] = {};  // the number of the offset that leads back, or -1
  signed char to[27] = {};    // the number of the new diagonal at a slot, or -1
  const double* values = nullptr;
  double* result = nullptr;  // zero before

  constexpr void operator()(std::int64_t row) const {
    const int node = static_cast<int>(row / dof), r = static_cast<int>(row % dof);
    const std::array<int, 3> at{node % n[0], node / n[0] % n[1], node / n[0] / n[1]};
    for (int d = 0; d < count; ++d) {
      const int m = reach(d);
      for (int c = 0; c < dof && m <= 1; ++c)
        add(slot_of(offset[d][0], offset[d][1], offset[d][2]), c, row, value(d, c, row));
      for (int k = 0; k < m && m > 1; ++k) add_step(at, row, r, d, m, k);
    }
  }

  constexpr int reach(int d) const {
    int most_of = 0;
    for (const int o : offset[d]) most_of = o > most_of ? o : -o > most_of ? -o : most_of;
    return most_of;
  }
  // Where step k of the path to offset d begins: towards zero and back it is the same one.
  constexpr int place(int d, int axis, int k, int m) const {
    const int along = k * offset[d][axis];
    return along / m - (along % m < 0 ? 1 : 0);
  }

 private:
  constexpr double value(int d, int c, std::int64_t row) const {
    return values[(static_cast<std::int64_t>(d) * dof + c) * rows + row];
  }
  constexpr void add(int slot, int c, std::int64_t row, double more) const {
    result[(static_cast<std::int64_t>(to[slot]) * dof + c) * rows + row] += more;
  }
  // The row of the node at `at` plus `more`, or -1 where there is none.
  constexpr std::int64_t row_of(const std::array<int, 3>& at, const int (&more)[3]) const {
    std::int64_t node = 0;
    for (int axis = 2; axis >= 0; --axis) {
      int there = at[axis] + more[axis];
      if (wraps[axis]) there = (there % n[axis] + n[axis]) % n[axis];
      if (there < 0 || there >= n[axis]) return -1;
      node = node * n[axis] + there;
    }
    return node * dof;
  }
  // This node as the beginning of step k of some other node's coupling d, or of its own.
  constexpr void add_step(const std::array<int, 3>& at, std::int64_t row, int r, int d, int m, int k) const {
    int back[3] = {}, on[3] = {}, step[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      back[axis] = -place(d, axis, k, m);
      on[axis] = offset[d][axis] + back[axis];
      step[axis] = place(d, axis, k + 1, m) + back[axis];
    }
    const std::int64_t from = row_of(at, back), end = row_of(at, on);
    if (from < 0 || end < 0) return;
    for (int c = 0; c < dof; ++c) {
      const double there = share(d, m, from, end, r, c);
      add(slot_of(step[0], step[1], step[2]), c, row, there);
      const double both = (there + share(d, m, from, end, c, r)) / 2;  // the diagonal blocks stay symmetric
      const double own = k > 0 ? 0 : (value(d, c, from + r) + value(d, r, from + c)) / 2;
      add(slot_of(0, 0, 0), c, row, own - both);
    }
  }
  constexpr double share(int d, int m, std::int64_t from, std::int64_t end, int r, int c) const {
    const double here = value(d, c, from + r);
    const double there = opposite[d] < 0 ? 0 : value(opposite[d], r, end + c);
    return m * (here + there) / 2 + (here - there) / 2;
  }
};

// The block diagonals of such an operator: the neighbours that it has, and those that the steps lead to.
inline std::vector<NodeOffset> neighbour_offsets(const NeighbourForm& form) {
  bool there[27] = {};
  there[slot_of(0, 0, 0)] = true;
  for (int d = 0; d < form.count; ++d) {
    const int m = std::max(1, form.reach(d));
    for (int k = 0; k < m; ++k)
      there[slot_of(form.place(d, 0, k + 1, m) - form.place(d, 0, k, m),
                    form.place(d, 1, k + 1, m) - form.place(d, 1, k, m),
                    form.place(d, 2, k + 1, m) - form.place(d, 2, k, m))] = true;
  }
  std::vector<NodeOffset> offsets;
  for (int slot = 0; slot < 27; ++slot)
    if (there[slot]) offsets.push_back({slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1});
  return offsets;
}

// The ways from a node to the one at an offset, of a grid with n nodes along each axis: two along each axis
// that wraps and that it leads half-way around.
inline std::vector<NodeOffset> ways_to(const NodeOffset& o, const std::array<std::int64_t, 3>& n,
                                       const std::array<bool, 3>& wraps) {
  std::vector<NodeOffset> ways{o};
  const auto both = [&](std::int32_t NodeOffset::*along, int axis) {
    if (!wraps[axis] || 2 * std::abs(o.*along) != n[axis]) return;
    for (std::size_t i = ways.size(); i-- > 0;) {
      ways.push_back(ways[i]);
      ways.back().*along *= -1;
    }
  };
  if (reach_of(o) > 1) both(&NodeOffset::x, 0), both(&NodeOffset::y, 1), both(&NodeOffset::z, 2);
  return ways;
}

// The operator with a share of each such coupling for each of its ways; empty where there are none. On the
// host, for the grids are small.
template <class Space>
BlockDiagonals<double, Space> with_all_ways(const BlockDiagonals<double, Space>& a,
                                            const std::array<std::int64_t, 3>& n,
                                            const std::array<bool, 3>& wraps) {
  const auto has_ways = [&](const NodeOffset& o) { return ways_to(o, n, wraps).size() > 1; };
  if (std::none_of(a.offsets.begin(), a.offsets.end(), has_ways)) return {};
  const BlockDiagonals<double> from = copy_to<Host>(a);
  BlockDiagonals<double> to;
  static_cast<BlockStructure&>(to) = a;
  to.offsets.clear();
  const auto place_of = [&to](const NodeOffset& way) {
    return std::find(to.offsets.begin(), to.offsets.end(), way) - to.offsets.begin();
  };
  for (const NodeOffset& o : a.offsets)
    for (const NodeOffset& way : ways_to(o, n, wraps))
      if (place_of(way) == to.diagonals()) to.offsets.push_back(way);
  const std::int64_t block = a.dof * a.rows();
  to.values = Array<double>(checked_product(to.diagonals(), block, "the values of multigrid"));
  std::fill_n(to.values.data(), to.values.size(), 0.0);
  for (std::int64_t d = 0; d < from.diagonals(); ++d) {
    const std::vector<NodeOffset> ways = ways_to(from.offsets[d], n, wraps);
    for (const NodeOffset& way : ways)
      for (std::int64_t i = 0; i < block; ++i)
        to.values[place_of(way) * block + i] += from.values[d * block + i] / static_cast<double>(ways.size());
  }
  return copy_to<Space>(to);
}

// Of an operator on a whole grid, or in a rank's box of one with n nodes along each axis: there the rows of
// its own nodes are right if it has as many layers as couplings lead nodes away. Throws FormatError where
// couplings lead further than furthest_coupling nodes.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> neighbour_form(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& given,
    const std::array<std::int64_t, 3>& n, const std::array<bool, 3>& wraps) {
  if (reach_of(given.offsets) > furthest_coupling) throw_too_far();
  const auto with_ways = with_all_ways(given, n, wraps);
  const auto& a = with_ways.diagonals() > 0 ? with_ways : given;
  NeighbourForm form;
  for (int axis = 0; axis < 3; ++axis) {
    form.n[axis] = static_cast<int>(a.extents[axis]);
    form.wraps[axis] = a.periodic[axis] && a.extents[axis] > 1;
  }
  form.dof = a.dof;
  form.rows = a.rows();
  form.count = static_cast<int>(a.diagonals());
  for (int d = 0; d < form.count; ++d) {
    const NodeOffset& o = a.offsets[d];
    form.offset[d][0] = static_cast<signed char>(o.x);
    form.offset[d][1] = static_cast<signed char>(o.y);
    form.offset[d][2] = static_cast<signed char>(o.z);
    const auto back = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{-o.x, -o.y, -o.z});
    form.opposite[d] = static_cast<short>(back == a.offsets.end() ? -1 : back - a.offsets.begin());
  }
  BlockDiagonals<double, typename Machine::Space> near;
  near.dof = a.dof;
  near.extents = a.extents;
  near.periodic = a.periodic;
  near.offsets = neighbour_offsets(form);
  near.values = decltype(near.values)(
      checked_product(near.diagonals() * near.dof, near.rows(), "the values of multigrid"));
  std::fill(std::begin(form.to), std::end(form.to), static_cast<signed char>(-1));
  for (std::int64_t d = 0; d < near.diagonals(); ++d)
    form.to[slot_of(near.offsets[d])] = static_cast<signed char>(d);
  form.values = a.values.data();
  form.result = near.values.data();
  machine.for_each(near.values.size(), Zero<double>{form.result});
  machine.for_each(near.rows(), form);
  return near;
}

template <class Machine>
BlockDiagonals<double, typename Machine::Space> neighbour_form(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a) {
  return neighbour_form(machine, a, a.extents, a.periodic);
}

}  // namespace quadrille::multigrid
