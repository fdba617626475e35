// Sums over neighbours on the CPU, for a part of a line of nodes at a time: what lies along a line is done in
// vectors, which the places and tests of a row at a time would keep a compiler from. Internal to
// kernels/multigrid.
//
// A line's rows have values beside each other, or those of a few nodes again and again (stored_nodes.hpp),
// which are alike. With `e` for numbers of x that stand as the rows do,
//
//   one unknown a node   sum[i] += a[i] e[i] of each coupling, with e = x at its neighbours
//   several, by kind     the same
//   several, alike       sum_r[i] += a_rc e_c[i] of each two unknowns, in copies of x that have them apart
//   several              sum[row] += a[column][row] e[row], in copies that repeat one for a node's rows
#pragma once

#include <algorithm>

#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/multigrid.hpp"

namespace quadrille::multigrid {

// The lines of neighbours beside a line, and by their offset along x which couplings lead there, or -1.
struct CoupledLines {
  struct Line {
    int y = 0, z = 0, coupling[3] = {-1, -1, -1};
  };
  int count = 0;
  Line line[9];

  CoupledLines() = default;
  explicit CoupledLines(const Couplings& s) {
    for (int d = 0; d < s.count; ++d) {
      int i = 0;
      while (i < count && (line[i].y != s.offset[d][1] || line[i].z != s.offset[d][2])) ++i;
      if (i == count) line[count++] = {s.offset[d][1], s.offset[d][2], {-1, -1, -1}};
      line[i].coupling[s.offset[d][0] + 1] = d;
    }
  }
  int couplings() const {
    int all = 0;
    for (int i = 0; i < count; ++i)
      for (const int d : line[i].coupling) all += d >= 0 ? 1 : 0;
    return all;
  }
  // Blocks of the nodes themselves.
  static CoupledLines own() {
    CoupledLines lines;
    lines.count = 1;
    lines.line[0].coupling[1] = 0;
    return lines;
  }
};

// Nodes of a line: where in a column the values of the first stand, with those of the others behind; or of
// StoredNodes' period, whose nodes have the rows of all, the first being that number `phase` of them.
struct LinePart {
  int first, end, place, phase;
  bool alike;
  int nodes() const { return end - first; }
};

// body(part) of the nodes from `first` to `end` of line (y, z).
template <class Body>
void for_parts(const Couplings& s, int y, int z, int first, int end, const Body& body) {
  const auto within = [&](int from, int to, int place, bool alike) {
    const int begin = std::max(from, first), skipped = begin - from;
    if (begin < std::min(to, end))
      body(LinePart{begin, std::min(to, end), alike ? place : place + skipped,
                    alike ? skipped & (s.stored.period[0] - 1) : 0, alike});
  };
  if (s.stored.all) return within(0, s.line, s.first_of_line(y, z), false);
  const StoredNodes& stored = s.stored;
  const int place = stored.index(0, y, z) - stored.along(0, 0), low = stored.low[0], high = stored.high[0];
  if (stored.left_out[0] == 0) return within(0, s.line, place, false);
  within(0, low, place, false);
  within(low, s.line - high, place + low, true);
  within(s.line - high, s.line, place + stored.n[0] - high, false);
}

// Of one unknown a node: whether the nodes of a line that are alike have one number in each column.
template <class T>
bool are_alike(const Couplings& s, const T* a, int columns) {
  const StoredNodes& stored = s.stored;
  for (int line = 0; line < stored.n[1] * stored.n[2]; ++line) {
    const T* const of_line = a + std::int64_t{line} * stored.n[0] + stored.low[0];
    for (int d = 0; d < columns; ++d)
      for (int i = 1; i < stored.period[0]; ++i)
        if (of_line[d * s.stored_rows + i] != of_line[d * s.stored_rows]) return false;
  }
  return true;
}

// Rows of a part, whose sums stay in the first-level cache.
inline constexpr int most_part_rows = 1024;
inline int nodes_in_part(int dof) {
  return std::max(most_part_rows / 64, most_part_rows / 2 / dof);
}
static_assert(most_part_rows / 64 * most_multigrid_unknowns <= most_part_rows);

// Numbers that are multiplied: of x, and as many of a, or one.
template <class T>
struct LineTerm {
  const T *x, *a;
};

template <class T, int Lanes>
struct LineVector {
  typedef T Type __attribute__((vector_size(sizeof(T) * Lanes), aligned(alignof(T)), may_alias));
  static const Type& at(const T* p) { return *reinterpret_cast<const Type*>(p); }
};

// Of so many vectors from number i on, sum += a x of all terms, which are added in two sums where one would
// wait for itself.
template <int Lanes, int Vectors, bool One, class T>
void add_vectors(const LineTerm<T>* terms, int count, std::int64_t of_a, int i, T* sum) {
  using V = LineVector<T, Lanes>;
  constexpr int sums = Vectors == 1 ? 2 : 1;
  typename V::Type of[sums][Vectors] = {};
  for (int k = 0; k < Vectors; ++k) of[0][k] = V::at(sum + i + k * Lanes);
  const auto add = [&](const LineTerm<T>& term, typename V::Type(&to)[Vectors]) {
    const T* const x = term.x + i;
    const T* const a = term.a + of_a + (One ? 0 : i);
    for (int k = 0; k < Vectors; ++k)
      if constexpr (One)
        to[k] += *a * V::at(x + k * Lanes);
      else
        to[k] += V::at(a + k * Lanes) * V::at(x + k * Lanes);
  };
  int t = 0;
  for (; t + sums <= count; t += sums)
    for (int j = 0; j < sums; ++j) add(terms[t + j], of[j]);
  if (t < count) add(terms[t], of[0]);
  for (int k = 0; k < Vectors; ++k)
    *reinterpret_cast<typename V::Type*>(sum + i + k * Lanes) =
        sums == 2 ? of[0][k] + of[sums - 1][k] : of[0][k];
}
// Of the numbers from `first` to `end`, with a from place `of_a` on: each number has its own there, or one
// is all of them.
template <bool One, class T>
void add_terms(const LineTerm<T>* terms, int count, std::int64_t of_a, int first, int end, T* sum) {
  constexpr int wide = 32 / sizeof(T);
  if (!One) of_a -= first;
  int i = first;
  for (; i + 4 * wide <= end; i += 4 * wide) add_vectors<wide, 4, One>(terms, count, of_a, i, sum);
  const int left = (end - i) / wide;
  if (left == 3) add_vectors<wide, 3, One>(terms, count, of_a, i, sum);
  if (left == 2) add_vectors<wide, 2, One>(terms, count, of_a, i, sum);
  if (left == 1) add_vectors<wide, 1, One>(terms, count, of_a, i, sum);
  i += left * wide;
  const auto narrow = [&](auto lanes) {
    if (i + lanes() > end) return;
    add_vectors<lanes(), 1, One>(terms, count, of_a, i, sum);
    i += lanes();
  };
  narrow(std::integral_constant<int, wide / 2>());
  if constexpr (wide > 4) narrow(std::integral_constant<int, wide / 4>());
  if (i == end) return;
  T both[2] = {sum[i], 0};
  for (int t = 0; t < count; ++t) both[t % 2] += terms[t].a[of_a + (One ? 0 : i)] * terms[t].x[i];
  sum[i] = both[0] + both[1];
}

// body(Dof): the number of unknowns, or 0 of more than there are instances for.
template <class Body>
void with_unknowns(int dof, const Body& body) {
  if (dof == 2) return body(std::integral_constant<int, 2>());
  if (dof == 3) return body(std::integral_constant<int, 3>());
  if (dof == 4) return body(std::integral_constant<int, 4>());
  body(std::integral_constant<int, 0>());
}

// Of x, [node][unknown], by values a, [coupling][column][stored row], or [coupling][stored row] where each
// unknown couples with its own kind alone.
template <class T>
class LineSums {
 public:
  LineSums(const Couplings& s, const CoupledLines& lines, const T* a, const T* x, bool by_kind = false)
      : s_(s), lines_(lines), a_(a), x_(x), by_kind_(by_kind), columns_(by_kind ? 1 : s.dof) {
    if (a != nullptr && s.dof == 1 && !s.stored.all) one_ = are_alike(s, a, lines.couplings());
  }

  // A line of x and those beside it, from node `first` of each on, or null where there are none; of one
  // unknown a node, or by kind, with the values of their couplings.
  struct Around {
    int first = 0;
    bool of_first = false, of_last = false;  // the first line of the grid is one of them, and the last
    const T* x[9];
    LineTerm<T> terms[most_couplings];
    int count = 0;
  };
  Around around(int y, int z, int first) const {
    Around all;
    all.first = first;
    for (int i = 0; i < lines_.count; ++i) {
      const auto& line = lines_.line[i];
      const int row = line_at(y + line.y, z + line.z);
      all.x[i] = row < 0 ? nullptr : x_ + (std::int64_t{row} * s_.line + first) * s_.dof;
      all.of_first = all.of_first || row == 0;
      all.of_last = all.of_last || row == s_.n[1] * s_.n[2] - 1;
      for (int k = 0; columns_ == 1 && all.x[i] != nullptr && k < 3; ++k)
        if (const int d = line.coupling[k]; d >= 0)
          all.terms[all.count++] = {all.x[i] + (k - 1) * s_.dof, a_ + d * s_.stored_rows};
    }
    return all;
  }
  // The same of nodes that couple to themselves alone.
  Around own(const T* x) const {
    Around all;
    all.x[0] = x;
    if (columns_ == 1) all.terms[all.count++] = {x, a_};
    return all;
  }
  // Of a part, [node][unknown]; `sum` is that of node `first`.
  void operator()(const Around& around, const LinePart& part, T* sum) const {
    const int first = (part.first - around.first) * s_.dof, end = first + part.nodes() * s_.dof;
    std::fill(sum + first, sum + end, T(0));
    if (columns_ == 1) return add_neighbours(around, part, first, end, sum);
    with_unknowns(s_.dof, [&](auto dof) {
      if (part.alike)
        add_alike<dof()>(around, part, first, sum + first);
      else if (part.nodes() <= 4)
        add_nodes<dof()>(around, part, first, sum + first);
      else
        add_blocks(around, part, first, sum + first);
    });
  }

 private:
  // The number of a line, -1 where there is none.
  int line_at(int y, int z) const {
    int at[2] = {y, z};
    for (const int k : {0, 1}) {
      if (at[k] >= 0 && at[k] < s_.n[k + 1]) continue;
      if (!s_.wraps[k + 1]) return -1;
      at[k] += at[k] < 0 ? s_.n[k + 1] : -s_.n[k + 1];
    }
    return at[1] * s_.n[1] + at[0];
  }
  const T* column(int coupling, int c, const LinePart& part) const {
    return a_ + (std::int64_t{coupling} * columns_ + c) * s_.stored_rows + std::int64_t{part.place} * s_.dof;
  }

  // Some neighbours at a time, so that few columns are read at once.
  void add_neighbours(const Around& around, const LinePart& part, int first, int end, T* sum) const {
    const std::int64_t place = std::int64_t{part.place} * s_.dof;
    if (part.alike && one_) return add_terms<true>(around.terms, around.count, place, first, end, sum);
    if (part.alike) return add_repeated(around, part, first, end, sum);
    constexpr int together = 9;
    for (int t = 0; t < around.count; t += together)
      add_terms<false>(around.terms + t, std::min(together, around.count - t), place, first, end, sum);
  }
  void add_repeated(const Around& around, const LinePart& part, int first, int end, T* sum) const {
    const int period = s_.stored.period[0] * s_.dof;
    T repeated[most_part_rows];
    for (int t = 0; t < around.count; ++t) {
      const T* const values = around.terms[t].a + std::int64_t{part.place} * s_.dof;
      for (int i = 0, at = part.phase * s_.dof; i < end - first; ++i, at = at + 1 < period ? at + 1 : 0)
        repeated[i] = values[at];
      const LineTerm<T> term{around.terms[t].x, repeated};
      add_terms<false>(&term, 1, 0, first, end, sum);
    }
  }
  // The unknowns of x by themselves, of as many lines as there is room for.
  template <int Dof>
  void add_alike(const Around& around, const LinePart& part, int first, T* sum) const {
    constexpr int most_copied = 6144, most_columns = 80;
    static_assert(most_part_rows + 2 * most_multigrid_unknowns <= most_copied);
    static_assert(most_multigrid_unknowns <= most_columns);
    const int n = part.nodes(), dof = Dof > 0 ? Dof : s_.dof;
    T apart[most_part_rows], copies[most_copied];
    LineTerm<T> terms[3 * most_columns];
    std::fill(apart, apart + n * dof, T(0));
    int columns = 0, count = 0;
    const auto add = [&] {
      for (int r = 0; r < dof; ++r) add_terms<true>(terms, count, r, 0, n, apart + r * n);
      columns = count = 0;
    };
    for (int i = 0; i < lines_.count; ++i) {
      if (around.x[i] == nullptr) continue;
      const int(&coupling)[3] = lines_.line[i].coupling;
      const int left = coupling[0] >= 0 ? 1 : 0, right = coupling[2] >= 0 ? 1 : 0;
      const T* const from = around.x[i] + first;
      T* const to = copies + columns * (n + 2) + 1;
#pragma omp simd
      for (int k = -left; k < n + right; ++k)
        for (int c = 0; c < dof; ++c) to[c * (n + 2) + k] = from[k * dof + c];
      for (int c = 0; c < dof; ++c)
        for (int k = 0; k < 3; ++k)
          if (coupling[k] >= 0) terms[count++] = {to + c * (n + 2) + k - 1, column(coupling[k], c, part)};
      columns += dof;
      if (columns + dof > most_columns || (columns + dof) * (n + 2) > most_copied) add();
    }
    if (columns > 0) add();
#pragma omp simd
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < dof; ++r) sum[i * dof + r] = apart[r * n + i];
  }
  // A few nodes with rows of their own, the rows of a node together.
  template <int Dof>
  void add_nodes(const Around& around, const LinePart& part, int first, T* sum) const {
    const int dof = Dof > 0 ? Dof : s_.dof;
    for (int node = 0; node < part.nodes(); ++node) {
      T of_node[Dof > 0 ? Dof : most_multigrid_unknowns] = {};
      for (int i = 0; i < lines_.count; ++i) {
        if (around.x[i] == nullptr) continue;
        for (int k = 0; k < 3; ++k) {
          if (lines_.line[i].coupling[k] < 0) continue;
          const T* const from = around.x[i] + first + (node + k - 1) * dof;
          const T* a = column(lines_.line[i].coupling[k], 0, part) + node * dof;
          for (int c = 0; c < dof; ++c, a += s_.stored_rows)
            for (int r = 0; r < dof; ++r) of_node[r] += a[r] * from[c];
        }
      }
      std::copy(of_node, of_node + dof, sum + node * dof);
    }
  }
  // Columns of x with each number repeated for the rows of its node.
  void add_blocks(const Around& around, const LinePart& part, int first, T* sum) const {
    const int n = part.nodes(), dof = s_.dof;
    T repeated[most_part_rows + 2 * most_multigrid_unknowns];
    for (int i = 0; i < lines_.count; ++i) {
      if (around.x[i] == nullptr) continue;
      const int(&coupling)[3] = lines_.line[i].coupling;
      const int left = coupling[0] >= 0 ? 1 : 0, right = coupling[2] >= 0 ? 1 : 0;
      for (int c = 0; c < dof; ++c) {
        const T* const from = around.x[i] + first + c;
        for (int k = -left; k < n + right; ++k) std::fill_n(repeated + (k + 1) * dof, dof, from[k * dof]);
        LineTerm<T> terms[3];
        int count = 0;
        for (int k = 0; k < 3; ++k)
          if (coupling[k] >= 0) terms[count++] = {repeated + k * dof, column(coupling[k], c, part)};
        add_terms<false>(terms, count, 0, 0, n * dof, sum);
      }
    }
  }

  const Couplings& s_;
  CoupledLines lines_;
  const T *a_, *x_;
  bool by_kind_;
  int columns_;
  bool one_ = false;  // number in a column, of alike nodes of one unknown
};

// Shorter lines are done a row at a time.
constexpr bool has_long_lines(const Couplings& s) {
  return s.line * s.dof >= 8;
}

}  // namespace quadrille::multigrid
