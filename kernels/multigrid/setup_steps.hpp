// What the set-up of multigrid does to one level, an element a call; in double, whatever the cycle is in.
// Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/box_steps.hpp"
#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/multigrid.hpp"

namespace quadrille::multigrid {

constexpr double absolute(double v) {
  return v < 0 ? -v : v;
}
constexpr bool finite(double v) {
  return v - v == 0;
}

// Sums whose functor adds what faces have apart from the rows: size_at_faces() and add_at_face(i, sums).
template <class F>
inline constexpr bool has_faces = requires(const F& f) {
  f.size_at_faces();
};

// use(i, load(i)) for `Together` numbers from `first` on, whose loads are on their way at once.
template <int Together, class Load, class Use>
constexpr void use_together(int first, const Load& load, const Use& use) {
  decltype(load(0)) loaded[Together] = {};
  QUADRILLE_UNROLL
  for (int k = 0; k < Together; ++k) loaded[k] = load(first + k);
  QUADRILLE_UNROLL
  for (int k = 0; k < Together; ++k) use(first + k, loaded[k]);
}
// The same for each i below count, in this order, up to six at once.
template <class Load, class Use>
constexpr void with_loaded(int count, const Load& load, const Use& use) {
  int i = 0;
  for (; i + 6 <= count; i += 6) use_together<6>(i, load, use);
  for (; i + 2 <= count; i += 2) use_together<2>(i, load, use);
  if (i < count) use(i, load(i));
}

// use(coupling, x, y, z of its offset, load(coupling)) for each of a node. Those of a star or of the box are
// unrolled, so that what depends on an offset costs nothing, and several are on their way at once.
template <class Load, class Use>
constexpr void with_couplings(const Couplings& s, const Load& load, const Use& use) {
  if (s.whole_star && s.count == 6) {
    const auto at = [&](int k) { return load(s.star[k]); };
    use_together<6>(0, at, [&](int k, const auto& loaded) {
      const int axis = k < 3 ? 2 - k : k - 3, o = k < 3 ? -1 : 1;
      use(s.star[k], axis == 0 ? o : 0, axis == 1 ? o : 0, axis == 2 ? o : 0, loaded);
    });
  } else if (s.whole_box && s.count == 26) {
    const auto of_box = [&](int k, const auto& loaded) {
      const int slot = k < 13 ? k : k + 1;
      use(k, slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1, loaded);
    };
    use_together<9>(0, load, of_box);
    use_together<8>(9, load, of_box);
    use_together<9>(17, load, of_box);
  } else {
    for (int d = 0; d < s.count; ++d) use(d, s.offset[d][0], s.offset[d][1], s.offset[d][2], load(d));
  }
}

// Whether one of the first rows is not that of the node which stands for its own, bit by bit: 1, or 0.
struct OtherThanStored {
  Couplings s;
  StoredNodes few;
  int diagonals;
  const double* values;  // of all rows
  std::int64_t rows;
  constexpr std::int64_t size() const { return rows; }
  constexpr double operator()(std::int64_t row) const {
    const std::array<int, 3> at = s.position(s.node_of(row));
    const int node = s.index(few.position(few.index(at[0], at[1], at[2])));
    const double *const own = values + row, *const other = values + std::int64_t{node} * s.dof + row % s.dof;
    // All of it, for columns to be on their way at once: rows that differ are the exception.
    std::int64_t differs = 0;
    with_loaded(
        diagonals * s.dof,
        [&](int k) {
          return __builtin_bit_cast(std::int64_t, own[k * s.rows]) ^
                 __builtin_bit_cast(std::int64_t, other[k * s.rows]);
        },
        [&](int, std::int64_t bits) { differs |= bits; });
    return differs != 0 ? 1 : 0;
  }
};
// The same of a line of nodes a call, column by column, as a CPU reads memory best; of the lines that begin
// among the first rows.
struct LineOtherThanStored {
  static constexpr std::int64_t work = 256;
  OtherThanStored of;
  constexpr std::int64_t size() const {
    const std::int64_t line = std::int64_t{of.s.n[0]} * of.s.dof;
    return (of.rows + line - 1) / line;
  }
  constexpr double operator()(std::int64_t line) const {
    const Couplings& s = of.s;
    const StoredNodes& few = of.few;
    const int y = static_cast<int>(line % s.n[1]), z = static_cast<int>(line / s.n[1]), dof = s.dof,
              low = few.low[0] * dof, high = (s.n[0] - few.high[0]) * dof;
    const std::array<int, 3> there = few.position(few.index(0, y, z));
    const std::int64_t other = std::int64_t{s.index({0, there[1], there[2]})} * dof;
    for (std::int64_t k = 0; k < std::int64_t{of.diagonals} * dof; ++k) {
      const double* const column = of.values + k * s.rows;
      std::int64_t differs = 0;
      const auto compare = [&](std::int64_t own, std::int64_t with) {
        differs |= __builtin_bit_cast(std::int64_t, column[line * s.n[0] * dof + own]) ^
                   __builtin_bit_cast(std::int64_t, column[other + with]);
      };
      for (int i = 0; i < low; ++i) compare(i, i);
      for (int r = 0; r < dof; ++r)
        for (int i = low + r; i < high; i += dof) compare(i, low + r);
      for (int i = high; i < s.n[0] * dof; ++i) compare(i, i);
      if (differs != 0) return 1;
    }
    return 0;
  }
};

// The rows that stand for others, a row of one column a call.
struct TakeStored {
  Couplings s;  // of all rows
  StoredNodes few;
  const double* values;
  double* to;
  constexpr void operator()(std::int64_t i) const {
    const std::int64_t rows = std::int64_t{few.nodes()} * s.dof, k = i / rows, row = i % rows;
    const std::array<int, 3> at = few.position(s.node_of(row));
    to[i] = at[0] < s.n[0] ? values[k * s.rows + std::int64_t{s.index(at)} * s.dof + row % s.dof] : 0;
  }
};

// The inverse of each diagonal block, [column][row], by Gauss-Jordan with row pivots; a column without a
// pivot gives zeros, as does the block of a node that takes no part.
struct InvertBlocks {
  static constexpr int most = most_multigrid_unknowns;
  int dof;
  std::int64_t rows;
  const double* blocks;  // [column][row]
  double* inverse;

  constexpr double& at(std::int64_t first, int r, int c) const { return inverse[c * rows + first + r]; }
  constexpr void operator()(std::int64_t node) const {
    if (dof == 1) {
      inverse[node] = blocks[node] == 0 ? 0 : 1 / blocks[node];
      return;
    }
    const std::int64_t first = node * dof;
    for (int c = 0; c < dof; ++c)
      for (int r = 0; r < dof; ++r) at(first, r, c) = blocks[c * rows + first + r];
    int swapped[most] = {};
    for (int k = 0; k < dof; ++k) {
      int pivot = k;
      for (int r = k + 1; r < dof; ++r)
        if (absolute(at(first, r, k)) > absolute(at(first, pivot, k))) pivot = r;
      swapped[k] = pivot;
      if (at(first, pivot, k) == 0) {
        for (int i = 0; i < dof; ++i) at(first, i, k) = at(first, k, i) = 0;
        swapped[k] = k;
        continue;
      }
      swap_rows(first, k, pivot);
      eliminate(first, k);
    }
    for (int k = dof - 1; k >= 0; --k)
      for (int r = 0; r < dof && swapped[k] != k; ++r) {
        const double v = at(first, r, k);
        at(first, r, k) = at(first, r, swapped[k]);
        at(first, r, swapped[k]) = v;
      }
  }

 private:
  constexpr void swap_rows(std::int64_t first, int a, int b) const {
    for (int c = 0; c < dof && a != b; ++c) {
      const double v = at(first, a, c);
      at(first, a, c) = at(first, b, c);
      at(first, b, c) = v;
    }
  }
  constexpr void eliminate(std::int64_t first, int k) const {
    const double pivot = 1 / at(first, k, k);
    at(first, k, k) = 1;
    for (int c = 0; c < dof; ++c) at(first, k, c) *= pivot;
    for (int r = 0; r < dof; ++r) {
      if (r == k) continue;
      const double factor = at(first, r, k);
      at(first, r, k) = 0;
      for (int c = 0; c < dof; ++c) at(first, r, c) -= factor * at(first, k, c);
    }
  }
};

// 1 for a stored row that takes part, and that the inverse of its node's block has zeros in: there is none.
struct SingularBlock {
  Couplings s;
  const double *values, *inverse;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    for (int c = 0; c < s.dof; ++c)
      if (inverse[c * s.stored_rows + row] != 0) return 0;
    for (int d = -1; d < s.count; ++d)
      for (int c = 0; c < s.dof; ++c)
        if (values[((d < 0 ? s.centre : s.diagonal[d]) * s.dof + c) * s.stored_rows + row] != 0) return 1;
    return 0;
  }
};

// D^-1 A beside the diagonal, [coupling][column][row], of all columns of one coupling for a stored row. In
// the outermost layer of a shared box couplings lead to nodes that are not there: they are zero, as those
// across a face are.
template <class T>
struct ScaleRows {
  Couplings s;
  const double *values, *inverse;
  T* scaled;
  constexpr void operator()(std::int64_t row) const {
    if (s.dof == 1 && !s.shared) {
      const double own = inverse[row];
      return with_loaded(
          s.count, [&](int d) { return values[s.diagonal[d] * s.stored_rows + row]; },
          [&](int d, double value) { scaled[d * s.stored_rows + row] = static_cast<T>(own * value); });
    }
    const std::int64_t first = std::int64_t{s.node_of(row)} * s.dof;
    for (int d = 0; d < s.count; ++d)
      for (int c = 0; c < s.dof; ++c) {
        const double* const column =
            values + (static_cast<std::int64_t>(s.diagonal[d]) * s.dof + c) * s.stored_rows;
        double sum = 0;
        if (!s.shared || s.leads_inside(s.position(s.node_of(row)), d))
          for (int k = 0; k < s.dof; ++k) sum += inverse[k * s.stored_rows + row] * column[first + k];
        scaled[(static_cast<std::int64_t>(d) * s.dof + c) * s.stored_rows + row] = static_cast<T>(sum);
      }
  }
};

// Of D^-1 A: no eigenvalue is larger than the largest of these.
template <class T>
struct RowBound {
  Couplings s;
  const T* scaled;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    double sum = 1;
    with_loaded(
        s.count * s.dof, [&](int k) { return scaled[k * s.stored_rows + row]; },
        [&](int, T value) { sum += absolute(value); });
    return sum;
  }
};

// The operator as a dense matrix, [row][column], of a row what it couples with of one kind a call; the matrix
// is zero before.
struct FillDense {
  Couplings s;
  const double* values;
  double* dense;
  constexpr std::int64_t size() const { return s.rows * s.dof; }
  constexpr void operator()(std::int64_t i) const {
    const std::int64_t c = i / s.rows, row = i - c * s.rows, place = s.place(row);
    const auto neighbour = s.neighbours(s.node_of(row));
    double* const to = dense + row * s.rows + c;
    const auto value = [&](int diagonal) {
      return values[(std::int64_t{diagonal} * s.dof + c) * s.stored_rows + place];
    };
    if (const double own = value(s.centre); own != 0) to[std::int64_t{s.node_of(row)} * s.dof] += own;
    with_loaded(
        s.count, [&](int d) { return value(s.diagonal[d]); },
        [&](int d, double coupling) {
          if (coupling != 0) to[std::int64_t{neighbour(d)} * s.dof] += coupling;
        });
  }
};

// The largest sum over a row's entries for one unknown, beside its diagonal entry: 0 where the constants are
// mapped to zero.
struct RowSum {
  Couplings s;
  const double* values;
  constexpr std::int64_t size() const { return s.stored_rows * s.dof; }
  constexpr double operator()(std::int64_t i) const {
    const std::int64_t c = i / s.stored_rows, row = i - c * s.stored_rows;
    const auto value = [&](int diagonal, std::int64_t column) {
      return values[(std::int64_t{diagonal} * s.dof + column) * s.stored_rows + row];
    };
    double sum = value(s.centre, c);
    with_loaded(
        s.count, [&](int d) { return value(s.diagonal[d], c); },
        [&](int, double coupling) { sum += coupling; });
    const double diagonal = absolute(value(s.centre, row % s.dof));
    return diagonal > 0 ? absolute(sum) / diagonal : absolute(sum);
  }
};

// The first unknowns of a singular operator are held.
struct DoubleDiagonal {
  std::int64_t rows;
  double* dense;
  constexpr void operator()(std::int64_t i) const { dense[i * rows + i] *= 2; }
};

template <class T>
struct Zero {
  T* to;
  constexpr void operator()(std::int64_t i) const { to[i] = 0; }
};

// Of two vectors, over own rows.
template <class T>
struct Squares {
  static constexpr int count = 2;
  Couplings s;
  const T *x, *y;
  constexpr std::int64_t size() const { return s.rows; }
  constexpr void add(std::int64_t i, double (&sums)[count]) const {
    if (!s.owns(static_cast<int>(i / s.dof))) return;
    sums[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    sums[1] += static_cast<double>(y[i]) * static_cast<double>(y[i]);
  }
};

// Numbers in -1..1 that have something of every eigenvector, the same whichever ranks have the rows.
template <class T>
struct Noise {
  T* x;
  Couplings s;
  BoxRows box;
  constexpr void operator()(std::int64_t i) const {
    std::int64_t place = i;  // in the whole grid
    if (s.shared) {
      place = box.in_whole(i);
    } else if (s.padded()) {
      const std::array<int, 3> at = s.position(static_cast<int>(i));
      x[i] = 0;
      if (at[0] >= s.n[0]) return;
      place = s.natural(at);
    }
    std::uint64_t h = static_cast<std::uint64_t>(place) + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    x[i] = static_cast<T>(static_cast<double>(h >> 11) * 0x1p-52 - 1);
  }
};

}  // namespace quadrille::multigrid
