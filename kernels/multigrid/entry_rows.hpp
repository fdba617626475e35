// Levels of a few unknowns a node whose blocks are mostly zeros, as those of an elastic body are whose moduli
// differ from node to node: it has 42 of 234 numbers beside the diagonal. What is stored is the entry map of
// `compact` (formats/compact.hpp): of each entry (coupling, row, column) nothing, a number for every node,
// or, where the neighbour has it, nothing again.
//
//   A beside the diagonal   a column of nodes for each entry that is stored, zeros before and behind it
//   D^-1                    [column][row], which the sums of all rows of a node are multiplied by, as by kind
//
// D^-1 A itself would have numbers wherever D^-1 mixes rows, and no mirrors.
//
//   column of entry e   0 .. 0  a_0 a_1 ... a_n-1  0 .. 0     e multiplies x[to[e]] from the node's first row
//   its mirror                  ^ the same, from `step` nodes further on
//
// A place outside the grid, which may be one of the next line, has a zero: a coupling back from there would
// lead to a node that is not there either. Internal to kernels/multigrid.
#pragma once

#include <utility>
#include <vector>

#include "formats/compact.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

// Where the entries of a row are, row after row. Passed by value.
template <class T>
struct EntryTable {
  static constexpr int most_unknowns = 4, most = 192;
  int first[most_unknowns + 1] = {};  // the first entry of each row
  int reach = 0;                      // nodes by which couplings lead away, along all axes
  const T* column[most] = {};         // the number of node 0
  int to[most] = {};                  // from the first row of a node to what is multiplied
  signed char coupling[most] = {};
  bool mirror[most] = {};
};

template <class T, class Space>
struct EntryRows {
  EntryTable<T> table;
  int count = 0;
  Array<T, Space> columns;  // so many, of nodes
  bool there() const { return columns.size() > 0; }
};

// Steps that are templates over how rows are stored take these for rows by kind, of all unknowns of a node.
template <class T, int Kinds>
struct RowsByEntries : RowsByKind<T, Kinds> {
  using ByKind = RowsByKind<T, Kinds>;
  static constexpr bool all = true;
  EntryTable<T> table;

  struct Node : ByKind::Node {
    int number;
    std::array<int, 3> at;
  };
  constexpr Node node_at(const std::array<int, 3>& at) const {
    const Couplings& s = this->s;
    const int number = s.index(at);
    bool inside = number >= table.reach && number < s.nodes - table.reach;
    for (int axis = 0; axis < 3 && s.any_wraps; ++axis)
      inside = inside && (!s.wraps[axis] || (at[axis] > 0 && at[axis] < s.n[axis] - 1));
    const std::int64_t row = std::int64_t{number} * s.dof;
    return {{row, row, {}, inside}, number, at};
  }
  // body(entry, its value, from the node's first row to what is multiplied) of a row.
  template <class Body>
  constexpr void for_entries(const Node& node, int row, const Body& body) const {
    const int first = table.first[row], end = table.first[row + 1];
    if (node.inside)
      return with_loaded(
          end - first, [&](int i) { return table.column[first + i][node.number]; },
          [&](int i, T value) { body(first + i, value, table.to[first + i]); });
    const Couplings& s = this->s;
    for (int e = first; e < end; ++e) {
      const int d = table.coupling[e];
      if (!s.leads_inside(node.at, d)) continue;
      const int further = s.neighbour(node.number, d) - node.number - s.step[d];  // around the grid
      body(e, table.column[e][node.number + (table.mirror[e] ? further : 0)], table.to[e] + further * s.dof);
    }
  }
  // Of the rows from `kind` on.
  constexpr void own_sums(const T* x, const Node& node, int kind, T (&sums)[Kinds]) const {
    const T* const own = x + node.first_row;
    QUADRILLE_UNROLL
    for (int k = 0; k < Kinds; ++k) {
      T sum = 0;
      for_entries(node, kind + k, [&](int, T value, int to) { sum += value * own[to]; });
      sums[k] = sum;
    }
  }
  // A node's block times numbers of all its rows, which is what Kinds are on a GPU.
  constexpr void times_all(const T* blocks, const Node& node, const T (&by)[Kinds], T (&sums)[Kinds]) const {
    const T* column = blocks + node.place;
    for (T& sum : sums) sum = 0;
    QUADRILLE_UNROLL
    for (int c = 0; c < Kinds; ++c, column += this->s.stored_rows) {
      T values[Kinds];
      load_streamed(column, values);
      for (int k = 0; k < Kinds; ++k) sums[k] += values[k] * by[c];
    }
  }
};

template <class F>
inline constexpr bool has_entries = requires(const F& f) {
  f.table;
};

// Of D^-1 A, a node a call: no eigenvalue is larger than the largest of these.
template <class T>
struct BoundOfEntries : RowsByEntries<T, 1> {
  constexpr std::int64_t size() const { return this->s.nodes; }
  constexpr double operator()(std::int64_t number) const {
    const Couplings& s = this->s;
    const auto node = this->node_at(s.position(static_cast<int>(number)));
    double bound[EntryTable<T>::most_unknowns] = {};
    for (int c = 0; c < s.dof; ++c) {
      double beside = 0;
      this->for_entries(node, c, [&](int, T value, int) { beside += absolute(value); });
      for (int r = 0; r < s.dof; ++r)
        bound[r] += beside * absolute(this->inverse[c * s.rows + node.first_row + r]);
    }
    double largest = 0;
    for (int r = 0; r < s.dof; ++r) largest = bound[r] > largest ? bound[r] : largest;
    return 1 + largest;
  }
};

// How many numbers beside the diagonal are none of `rows` rows from `first` on.
struct CountZeros {
  static constexpr int count = 1;
  Couplings s;
  const double* values;
  std::int64_t first, rows;
  constexpr std::int64_t size() const { return rows * s.count * s.dof; }
  constexpr void add(std::int64_t i, double* sums) const {
    const std::int64_t k = i / rows, d = k / s.dof, c = k - d * s.dof;
    if (values[(s.diagonal[d] * s.dof + c) * s.rows + first + i - k * rows] == 0) sums[0] += 1;
  }
};

// The columns of a node, some of them a call.
template <class T>
struct PackEntries {
  static constexpr int together = 8;
  Couplings s;
  const double* values;
  T* to;  // the first number of the first column
  std::int64_t stride;
  int count;
  std::int64_t from[EntryTable<T>::most];
  signed char coupling[EntryTable<T>::most];
  std::int64_t size() const { return std::int64_t{(count + together - 1) / together} * s.nodes; }
  constexpr void operator()(std::int64_t i) const {
    const int part = static_cast<int>(i / s.nodes), first = part * together;
    const std::int64_t node = i - std::int64_t{part} * s.nodes;
    double value[together] = {};
    QUADRILLE_UNROLL
    for (int k = 0; k < together; ++k)
      if (first + k < count) value[k] = values[from[first + k] + node * s.dof];
    const std::array<int, 3> at = s.shared ? s.position(static_cast<int>(node)) : std::array<int, 3>{};
    QUADRILLE_UNROLL
    for (int k = 0; k < together; ++k)
      if (first + k < count)
        to[(first + k) * stride + node] =
            s.shared && !s.leads_inside(at, coupling[first + k]) ? T(0) : static_cast<T>(value[k]);
  }
};

// How the entries of an operator are stored, before there is memory for them; none where that saves little.
struct EntryMap {
  struct Entry {
    int row, column_of_block, coupling, column;
    bool mirror;
  };
  std::vector<Entry> entries;  // row after row
  int columns = 0;
};
template <class T>
EntryMap entry_map(const BlockStructure& a, const Couplings& s,
                   const std::vector<CompactEntry<double>>& compact) {
  const int dof = a.dof;
  const auto number_of = [dof](std::int64_t d, int r, int c) { return (d * dof + r) * dof + c; };
  const auto is_there = [&](std::int64_t e) {
    const auto& entry = compact[e];
    return entry.stored != Stored::nothing && !(entry.stored == Stored::constant && entry.constant == 0);
  };
  // The entry whose column it is read from: that of the neighbour, or itself.
  const auto source_of = [&](std::int64_t d, int r, int c) {
    const std::int64_t e = number_of(d, r, c), back = opposite(a, d);
    if (back < 0 || !may_be_mirror(a, d, back, r, c)) return e;
    const std::int64_t other = number_of(back, c, r);
    const bool same = compact[e].stored == Stored::constant && compact[other].stored == Stored::constant &&
                      compact[e].constant == compact[other].constant;
    return compact[e].stored == Stored::mirror || same ? other : e;
  };
  EntryMap map;
  std::vector<int> column(compact.size(), -1);
  for (int r = 0; r < dof; ++r)
    for (int d = 0; d < s.count; ++d)
      for (int c = 0; c < dof; ++c) {
        const std::int64_t e = number_of(s.diagonal[d], r, c);
        if (!is_there(e)) continue;
        const std::int64_t source = source_of(s.diagonal[d], r, c);
        if (column[source] < 0) column[source] = map.columns++;
        map.entries.push_back({r, c, d, column[source], source != e});
      }
  // Where a sweep reads no more than two thirds of what blocks have, with D^-1, which those have within.
  const int dense = s.count * dof * dof;
  const bool saves =
      std::ssize(map.entries) <= EntryTable<T>::most && 3 * (map.columns + dof * dof) <= 2 * dense;
  return saves ? map : EntryMap{};
}

// Of an operator, where that saves enough.
template <class T, class Machine>
EntryRows<T, typename Machine::Space> entry_rows(Machine& machine,
                                                 const BlockDiagonals<double, typename Machine::Space>& a,
                                                 const Couplings& s) {
  EntryRows<T, typename Machine::Space> rows;
  if (s.dof < 2 || s.dof > EntryTable<T>::most_unknowns || s.by_kind || !s.stored.all || s.count == 0)
    return rows;
  const std::int64_t some = std::min<std::int64_t>(s.rows / 2, 1 << 14);  // in the middle
  const CountZeros zeros{s, a.values.data(), s.rows / 2, some};
  if (5 * machine.sums(zeros)[0] < 2 * static_cast<double>(zeros.size())) return rows;
  const EntryMap map = entry_map<T>(a, s, machine.compact_entries(a));
  if (map.columns == 0) return rows;

  rows.count = map.columns;
  EntryTable<T>& table = rows.table;
  for (int d = 0; d < s.count; ++d) table.reach = std::max(table.reach, std::abs(s.step[d]));
  constexpr std::int64_t word = 32;
  const std::int64_t margin = (table.reach + word - 1) / word * word,
                     stride = (s.nodes + word - 1) / word * word + margin;
  rows.columns = Array<T, typename Machine::Space>(margin + map.columns * stride);
  machine.for_each(rows.columns.size(), Zero<T>{rows.columns.data()});
  T* const first = rows.columns.data() + margin;
  PackEntries<T> pack{s, a.values.data(), first, stride, map.columns, {}, {}};
  for (int e = 0; e < std::ssize(map.entries); ++e) {
    const EntryMap::Entry& entry = map.entries[e];
    const int d = entry.coupling, step = s.step[d];
    table.first[entry.row + 1] = e + 1;
    table.column[e] = first + entry.column * stride + (entry.mirror ? step : 0);
    table.to[e] = step * s.dof + entry.column_of_block;
    table.coupling[e] = static_cast<signed char>(d);
    table.mirror[e] = entry.mirror;
    if (entry.mirror) continue;
    pack.coupling[entry.column] = static_cast<signed char>(d);
    pack.from[entry.column] =
        (std::int64_t{s.diagonal[d]} * s.dof + entry.column_of_block) * s.rows + entry.row;
  }
  for (int r = 0; r < s.dof; ++r) table.first[r + 1] = std::max(table.first[r], table.first[r + 1]);
  machine.for_each(pack.size(), pack);
  return rows;
}

}  // namespace quadrille::multigrid
