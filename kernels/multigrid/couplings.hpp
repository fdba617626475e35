// The rows of an operator on a grid as the cycle of multigrid reads them, one row at a time: the same
// functors run on the CPU and, compiled by nvcc with --expt-relaxed-constexpr, on the GPU. Internal to
// kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "formats/block_diagonals.hpp"
#include "formats/stored_nodes.hpp"
#include "kernels/divisor.hpp"
#include "kernels/packs.hpp"

namespace quadrille::multigrid {

inline constexpr int most_couplings = 26;  // the box of neighbours

// Of a level, whoever has its nodes.
struct GridSize {
  std::array<int, 3> n{1, 1, 1};
  std::array<bool, 3> wraps{};
  int dof = 1;
  std::int64_t rows() const { return std::int64_t{n[0]} * n[1] * n[2] * dof; }
};

// Which nodes couple to a node beside itself: neighbours along some axes. Passed by value.
struct Couplings {
  int n[3] = {1, 1, 1};
  bool wraps[3] = {}, any_wraps = false;
  int dof = 1, count = 0;
  int line = 1;   // nodes along x with those that vectors have behind them (stored_nodes.hpp)
  int nodes = 0;  // with them, as `rows`
  Divisor by_dof, by_line, by_n1;
  std::int64_t rows = 0;
  StoredNodes stored;             // whose rows the operator's values are, [diagonal or coupling][column][row]
  std::int64_t stored_rows = 0;   // the length of a column of them
  int step[most_couplings] = {};  // distance in nodes, where nothing wraps
  signed char offset[most_couplings][3] = {};
  int diagonal[most_couplings] = {};  // its number among the hub's block diagonals
  int centre = -1;                    // the number of the diagonal one
  signed char box[27] = {};           // the number of the diagonal at offset [z + 1][y + 1][x + 1], or -1
  bool whole_box = false;             // all of them are there, in that order
  // Of a star, which couplings lead along -z, -y, -x, x, y, z; those along z in 3D.
  signed char star[6] = {-1, -1, -1, -1, -1, -1};
  bool whole_star = false;  // all of them are there, and no others
  // Of several unknowns, as the fill says: whether neighbours couple each with its own kind alone, and then
  // whether those of a node couple with each other.
  bool by_kind = false, mixes = false;
  // Of a box with layers of other ranks' nodes (ranks.hpp), which of its nodes are this rank's own.
  bool shared = false;
  int own[3] = {}, own_end[3] = {};

  constexpr std::array<int, 3> position(int node) const {
    const int number = divide(node, by_line), z = divide(number, by_n1);
    return {node - number * line, number - z * n[1], z};
  }
  constexpr int first_of_line(int y, int z) const { return (z * n[1] + y) * line; }
  constexpr int index(const std::array<int, 3>& at) const { return first_of_line(at[1], at[2]) + at[0]; }
  // Without the nodes behind lines: a node's number as the operator's user counts, and how many there are.
  constexpr bool padded() const { return line != n[0]; }
  constexpr int natural(const std::array<int, 3>& at) const { return (at[2] * n[1] + at[1]) * n[0] + at[0]; }
  constexpr std::int64_t unknowns() const { return std::int64_t{n[0]} * n[1] * n[2] * dof; }
  // Where the values of a row are in a column.
  constexpr std::int64_t place(std::int64_t row) const { return stored.all ? row : place_of_alike(row); }
  constexpr std::int64_t place_of_alike(std::int64_t row) const {
    const int node = node_of(row);
    const std::array<int, 3> at = position(node);
    return std::int64_t{stored.index(at[0], at[1], at[2])} * dof + (row - std::int64_t{node} * dof);
  }
  // The number of the coupling at a place in the box, or -1.
  constexpr int coupling_at(int slot) const {
    const int d = box[slot];
    return d == centre ? -1 : d > centre ? d - 1 : d;
  }
  constexpr int node_of(std::int64_t row) const { return divide(static_cast<int>(row), by_dof); }
  // Of the nodes with rows of their own: where the first one is that has it, and how many have.
  constexpr int stored_nodes() const { return stored.all ? nodes : stored.nodes(); }
  constexpr std::array<int, 3> stored_position(int node) const {
    return stored.all ? position(node) : stored.position(node);
  }
  constexpr double stored_count(int node) const {
    if (stored.all) return 1;
    return static_cast<double>(stored.count(0, node % stored.n[0])) *
           stored.count(1, node / stored.n[0] % stored.n[1]) *
           stored.count(2, node / stored.n[0] / stored.n[1]);
  }
  constexpr bool owns(int node) const {
    if (!shared) return true;
    const std::array<int, 3> at = position(node);
    for (int axis = 0; axis < 3; ++axis)
      if (at[axis] < own[axis] || at[axis] >= own_end[axis]) return false;
    return true;
  }
  // Whether coupling d leads to a node that is there.
  constexpr bool leads_inside(const std::array<int, 3>& at, int d) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int to = at[axis] + offset[d][axis];
      if (!wraps[axis] && (to < 0 || to >= n[axis])) return false;
    }
    return true;
  }
  // Whether `count` rows of a line at a time are all rows, and their values beside each other.
  constexpr bool in_words_of(int count) const {
    return dof == 1 && line % count == 0 && !(wraps[0] && padded()) && (stored.all || stored.words);
  }
  // From a word of `count` rows: how far the words are in the planes and lines before, here and behind, and
  // from a word's first row the rows before and behind it. A plane or line that is not there is one of zeros.
  struct WordsAround {
    int plane[3], line[3], before, behind;
  };
  constexpr WordsAround words_around(int row, int count) const {
    const int size = line * n[1];
    WordsAround to{{-size, 0, size}, {-line, 0, line}, -1, count};
    if (!any_wraps) return to;
    const std::array<int, 3> at = position(row);
    if (wraps[2] && at[2] == 0) to.plane[0] += n[2] * size;
    if (wraps[2] && at[2] == n[2] - 1) to.plane[2] -= n[2] * size;
    if (wraps[1] && at[1] == 0) to.line[0] += size;
    if (wraps[1] && at[1] == n[1] - 1) to.line[2] -= size;
    if (wraps[0] && at[0] == 0) to.before += line;
    if (wraps[0] && at[0] + count == line) to.behind -= line;
    return to;
  }
  // The node at coupling d. Where there is none, this node itself or some other one: what is stored for it is
  // zero.
  constexpr int neighbour(int node, int d) const {
    if (any_wraps) return wrapped(node, d);
    const int to = node + step[d];
    return to < 0 || to >= nodes ? node : to;
  }
  // Where the values of the first row of the node at coupling d are in a column, which leads inside.
  constexpr std::int64_t place_beside(const std::array<int, 3>& at, int node, int d) const {
    if (stored.all) return std::int64_t{neighbour(node, d)} * dof;
    int to[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      to[axis] = at[axis] + offset[d][axis];
      if (to[axis] < 0) to[axis] += n[axis];
      if (to[axis] >= n[axis]) to[axis] -= n[axis];
    }
    return std::int64_t{stored.index(to[0], to[1], to[2])} * dof;
  }
  // The same where something wraps, without branches: what are one node back and on along each axis.
  struct StepsAround {
    int back[3], on[3];
  };
  constexpr StepsAround steps_around(const std::array<int, 3>& at) const {
    StepsAround steps{};
    for (int axis = 0, one = 1; axis < 3; one *= axis == 0 ? line : n[axis], ++axis) {
      const int around = wraps[axis] ? (n[axis] - 1) * one : 0;
      steps.back[axis] = at[axis] > 0 ? -one : around;
      steps.on[axis] = at[axis] < n[axis] - 1 ? one : -around;
    }
    return steps;
  }
  // To the node at an offset along x and y, [-1 + 1].
  constexpr int step_around(const StepsAround& steps, int along_x, int along_y) const {
    return (along_x == 0   ? steps.back[0]
            : along_x == 2 ? steps.on[0]
                           : 0) +
           (along_y == 0   ? steps.back[1]
            : along_y == 2 ? steps.on[1]
                           : 0);
  }
  constexpr int step_around(const StepsAround& steps, int d) const {
    int sum = 0;
    for (int axis = 0; axis < 3; ++axis)
      sum += offset[d][axis] < 0 ? steps.back[axis] : offset[d][axis] > 0 ? steps.on[axis] : 0;
    return sum;
  }
  // neighbour(node, d) of all couplings of a node: its place, which takes divisions, is found once.
  struct Neighbours {
    const Couplings* s;
    int node;
    StepsAround steps;
    constexpr int operator()(int d) const {
      return s->any_wraps ? node + s->step_around(steps, d) : s->neighbour(node, d);
    }
  };
  constexpr Neighbours neighbours(int node) const {
    return {this, node, any_wraps ? steps_around(position(node)) : StepsAround{}};
  }

 private:
  constexpr int wrapped(int node, int d) const {
    std::array<int, 3> at = position(node);
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] += offset[d][axis];
      if (at[axis] >= 0 && at[axis] < n[axis]) continue;
      if (!wraps[axis]) return node;
      at[axis] += at[axis] < 0 ? n[axis] : -n[axis];
    }
    return index(at);
  }
};

// Throws FormatError where some couple that are no neighbours, or there is no diagonal. Of a rank's box
// where one is given.
struct RankBox;
Couplings couplings_of(const BlockStructure& a, const RankBox* box = nullptr, const StoredNodes& stored = {});

// Rows of which a call does several at once: those of one unknown a node on lines of whole words.
template <class T>
inline constexpr int rows_together = 16 / sizeof(T);

// What a cycle makes, without numbers so small that products with them fall below 2^-1022. Away from a
// source, operators that are almost diagonal leave such ones; CPUs take long for them, and the norm of cuBLAS
// 13.1 is wrong in the fifth digit where a vector has some (results/README.md): Krylov methods then stagnate.
template <class Out, class T>
constexpr Out without_tiny(T v) {
  if constexpr (std::is_same_v<T, double> && std::is_same_v<Out, double>)
    return v < 0x1p-800 && v > -0x1p-800 ? 0 : v;
  return static_cast<Out>(v);
}

template <int Rows, class T, class Out>
constexpr void store_result(Out* p, const T (&from)[Rows]) {
  Out to[Rows] = {};
  for (int i = 0; i < Rows; ++i) to[i] = without_tiny<Out>(from[i]);
  store(p, to);
}

// Values of the operator: those of few rows are used again and again.
template <bool All, int Rows, class V, class T>
constexpr void load_values(const V* p, T (&to)[Rows]) {
  V from[Rows] = {};
  if constexpr (All)
    load_streamed(p, from);
  else
    load(p, from);
  for (int i = 0; i < Rows; ++i) to[i] = static_cast<T>(from[i]);
}

// The box of neighbours in its own order, for Rows rows of one line from `row` on: the x of a line of the box
// are one aligned word and the numbers beside it. Where a line lies outside the grid its values are zero, and
// x is read anywhere.
template <int Rows, int Count, bool All, class V, class T>
constexpr void beside_diagonal_in_box(const Couplings& s, const V* a, const T* x, int row, T (&sum)[Rows]) {
  constexpr int planes = Count == 26 ? 3 : 1;
  const auto to = s.words_around(row, Rows);
  int d = 0;
  QUADRILLE_UNROLL
  for (int z = 0; z < planes; ++z) {
    T values[3][3][Rows] = {}, from[3][Rows + 2];
    QUADRILLE_UNROLL
    for (int y = 0; y < 3; ++y) {
      const int there = row + to.plane[planes == 3 ? z : 1] + to.line[y],
                at = there < 0 || there >= s.nodes ? row : there, before = at + to.before,
                behind = at + to.behind;
      for (int c = 0; c < 3; ++c) {
        const bool centre = z == planes / 2 && y == 1 && c == 1;
        if (!centre) load_values<All>(a + (d++) * s.stored_rows, values[y][c]);
      }
      const auto pack = *reinterpret_cast<const Pack<T, Rows>*>(x + at);
      from[y][0] = x[before > 0 ? before : 0];
      for (int i = 0; i < Rows; ++i) from[y][i + 1] = pack.v[i];
      from[y][Rows + 1] = x[behind < s.nodes ? behind : at];
    }
    for (int y = 0; y < 3; ++y)
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < Rows && !(z == planes / 2 && y == 1 && c == 1); ++i)
          sum[i] += values[y][c][i] * from[y][i + c];
  }
}

// The same of a star, with lines that are whole words: x beside a row's own is in the word that the row is
// in.
template <int Rows, int Count, bool All, class T>
constexpr void beside_diagonal_in_star(const Couplings& s, const T* a, const T* x, int row, T (&sum)[Rows]) {
  const auto word_at = [&](int from, T(&to)[Rows]) {
    const auto pack = *reinterpret_cast<const Pack<T, Rows>*>(x + (from < 0 || from >= s.nodes ? row : from));
    for (int i = 0; i < Rows; ++i) to[i] = pack.v[i];
  };
  const auto to = s.words_around(row, Rows);
  const int step[6] = {to.plane[0], to.line[0], 0, 0, to.line[2], to.plane[2]};
  T values[6][Rows] = {}, from[6][Rows] = {}, own[Rows] = {};
  QUADRILLE_UNROLL
  for (int k = Count == 6 ? 0 : 1; k < (Count == 6 ? 6 : 5); ++k) {
    load_values<All>(a + s.star[k] * s.stored_rows, values[k]);
    if (k != 2 && k != 3) word_at(row + step[k], from[k]);
  }
  word_at(row, own);
  const int before = row + to.before, behind = row + to.behind;
  from[2][0] = x[before > 0 ? before : 0];
  from[3][Rows - 1] = x[behind < s.nodes ? behind : row];
  for (int i = 1; i < Rows; ++i) {
    from[2][i] = own[i - 1];
    from[3][i - 1] = own[i];
  }
  QUADRILLE_UNROLL
  for (int k = Count == 6 ? 0 : 1; k < (Count == 6 ? 6 : 5); ++k)
    for (int i = 0; i < Rows; ++i) sum[i] += values[k][i] * from[k][i];
}

// Of D^-1 A without its diagonal blocks, `a` [coupling][column][stored row], times x, for Rows rows from
// `row` on; numbers of another type V are those of the box. Dof and Count are those of `s` where they are
// known at compile time, else 0: then all loads of a row are in flight at once. All: s.stored.all. Of one row
// the couplings first, first + step and so on may be asked for alone.
template <int Rows, int Dof, int Count, bool All, class V, class T>
constexpr void beside_diagonal(const Couplings& s, const V* a, const T* x, std::int64_t row, T (&sum)[Rows],
                               int first = 0, int step = 1) {
  for (int i = 0; i < Rows; ++i) sum[i] = 0;
  a += All ? row : s.place_of_alike(row);
  if constexpr (Rows > 1 && (Count == 26 || Count == 8)) {
    beside_diagonal_in_box<Rows, Count, All>(s, a, x, static_cast<int>(row), sum);
  } else if constexpr (Rows > 1) {
    beside_diagonal_in_star<Rows, Count, All>(s, a, x, static_cast<int>(row), sum);
  } else {
    const int dof = Dof > 0 ? Dof : s.dof, count = Count > 0 ? Count : s.count;
    const auto neighbour = s.neighbours(Dof > 0 ? static_cast<int>(row) / Dof : s.node_of(row));
#if defined(__CUDA_ARCH__)
#pragma unroll(Count > 0 ? Count : 4)
#endif
    for (int d = first; d < count; d += step) {
      const T* const from = x + static_cast<std::int64_t>(neighbour(d)) * dof;
      const V* value = a + static_cast<std::int64_t>(d) * dof * s.stored_rows;
#if defined(__CUDA_ARCH__)
#pragma unroll(Dof > 0 ? Dof : 4)
#endif
      for (int c = 0; c < dof; ++c, value += s.stored_rows)
        sum[0] += (All ? streamed(value) : *value) * from[c];
    }
  }
}

}  // namespace quadrille::multigrid
