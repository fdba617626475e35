// What the set-up of multigrid does, an element a call; in double, whatever the cycle is in. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

constexpr double absolute(double v) {
  return v < 0 ? -v : v;
}
constexpr bool finite(double v) {
  return v - v == 0;
}

// The inverse of each diagonal block, [column][row], by Gauss-Jordan with row pivots; a column without a pivot gives zeros, as
// does the block of a node that takes no part.
struct InvertBlocks {
  static constexpr int most = 64;  // unknowns a node
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

// D^-1 A beside the diagonal, [coupling][column][row], of all columns of one coupling for a row.
template <class T>
struct ScaleRows {
  Couplings s;
  const double *values, *inverse;
  T* scaled;
  constexpr void operator()(std::int64_t row) const {
    const std::int64_t first = row / s.dof * s.dof;
    for (int d = 0; d < s.count; ++d)
      for (int c = 0; c < s.dof; ++c) {
        const double* const column = values + (static_cast<std::int64_t>(s.diagonal[d]) * s.dof + c) * s.rows;
        double sum = 0;
        for (int k = 0; k < s.dof; ++k) sum += inverse[k * s.rows + row] * column[first + k];
        scaled[(static_cast<std::int64_t>(d) * s.dof + c) * s.rows + row] = static_cast<T>(sum);
      }
  }
};

// Of D^-1 A: no eigenvalue is larger than the largest of these.
template <class T>
struct RowBound {
  Couplings s;
  const T* scaled;
  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    double sum = 1;
    for (int k = 0; k < s.count * s.dof; ++k) sum += absolute(scaled[k * s.rows + row]);
    return sum;
  }
};

// How strongly a row couples along an axis.
struct Along {
  Couplings s;
  const double* values;
  int axis;
  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    double sum = 0;
    const std::int64_t c = row % s.dof;
    for (int d = 0; d < s.count; ++d)
      if (s.offset[d][axis] != 0) sum -= values[(s.diagonal[d] * s.dof + c) * s.rows + row];
    return sum;
  }
};

// Of the rows of a face, [unknown of the face]: what they miss there, that is the sum of a row; or what they have inwards instead.
struct AtFace {
  Couplings s;
  const double* values;
  int axis, side;
  bool inwards;
  constexpr std::int64_t size() const { return s.rows / s.n[axis]; }
  constexpr double operator()(std::int64_t index) const {
    const std::int64_t c = index % s.dof;
    const int place = static_cast<int>(index / s.dof), first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    std::array<int, 3> at{};
    at[axis] = side == 0 ? 0 : s.n[axis] - 1;
    at[first] = place % s.n[first];
    at[second] = place / s.n[first];
    const std::int64_t row = static_cast<std::int64_t>(s.index(at)) * s.dof + c;
    double sum = inwards ? 0 : values[(s.centre * s.dof + c) * s.rows + row];
    for (int d = 0; d < s.count; ++d) {
      const double value = values[(s.diagonal[d] * s.dof + c) * s.rows + row];
      if (!inwards)
        sum += value;
      else if (s.offset[d][axis] == (side == 0 ? 1 : -1))
        sum -= value;
    }
    return sum;
  }
};

// Between a grid and the next coarser one, where every other node along some axes is a coarse one: the tables of
// AxisInterpolation, and the weights of every fine row where they are not the products of the tables.
struct Nodes {
  const std::int32_t *node[3], *first[3], *reader[3];
  const double *weight[3], *reader_weight[3];
  int fine_n[3], coarse_n[3];
  bool halved[3];
  int offset[3];  // the first coarse node
  int corners;
  const double* weights;  // [corner][fine row], or null
  constexpr bool between(const std::array<int, 3>& at, int axis) const {
    return halved[axis] && (at[axis] - offset[axis]) % 2 != 0;
  }
};

// The weights of kernels/operator_weights.hpp, those of the nodes that lie between coarse ones along so many axes: 0, 1, 2, 3 one
// after the other.
struct OperatorWeights {
  Couplings s;
  const double* values;
  Nodes p;
  int axes;
  double* weights;

  constexpr void operator()(std::int64_t row) const {
    const std::array<int, 3> at = s.position(static_cast<int>(row / s.dof));
    const bool between[3] = {p.between(at, 0), p.between(at, 1), p.between(at, 2)};
    if (between[0] + between[1] + between[2] != axes) return;
    for (int corner = 0; corner < p.corners; ++corner) weights[corner * s.rows + row] = 0;
    if (axes == 0) {
      weights[row] = 1;
      return;
    }
    // The equation, with its coefficients added up along the axes that the node is not between on.
    const std::int64_t c = row % s.dof;
    const double diagonal = values[(s.centre * s.dof + c) * s.rows + row];
    double sum = diagonal, others = 0;
    for (int d = 0; d < s.count; ++d) {
      const double value = values[(s.diagonal[d] * s.dof + c) * s.rows + row];
      sum += value;
      if (stays(d, between)) continue;
      others += value;
    }
    const double centre = (absolute(sum) > 1e-13 * absolute(diagonal) ? sum : 0) - others;
    if (!(centre > 1e-12 * absolute(diagonal)) || !finite(centre)) return keep_linear(at, row);
    for (int d = 0; d < s.count; ++d) {
      const double value = values[(s.diagonal[d] * s.dof + c) * s.rows + row];
      if (value != 0 && !stays(d, between)) add_neighbour(at, between, row, d, -value / centre);
    }
  }

 private:
  constexpr bool stays(int d, const bool (&between)[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (between[axis] && s.offset[d][axis] != 0) return false;
    return true;
  }
  // weights of the row += share * those of the neighbour along the axes between.
  constexpr void add_neighbour(const std::array<int, 3>& at, const bool (&between)[3], std::int64_t row,
                               int d, double share) const {
    std::array<int, 3> to = at;
    for (int axis = 0; axis < 3; ++axis) {
      if (!between[axis]) continue;
      to[axis] += s.offset[d][axis];
      if (to[axis] < 0 || to[axis] >= s.n[axis]) {
        if (!s.wraps[axis]) return;
        to[axis] += to[axis] < 0 ? s.n[axis] : -s.n[axis];
      }
    }
    const std::int64_t from = static_cast<std::int64_t>(s.index(to)) * s.dof + row % s.dof;
    for (int corner = 0; corner < p.corners; ++corner) {
      const double theirs = weights[corner * s.rows + from];
      if (theirs == 0) continue;
      int ours = 0;  // the corner of this node that is the same coarse node
      for (int axis = 0; axis < 3; ++axis)
        if (p.node[axis][2 * to[axis] + (corner >> axis & 1)] != p.node[axis][2 * at[axis]])
          ours |= 1 << axis;
      weights[ours * s.rows + row] += share * theirs;
    }
  }
  constexpr void keep_linear(const std::array<int, 3>& at, std::int64_t row) const {
    for (int corner = 0; corner < p.corners; ++corner) {
      double product = 1;
      for (int axis = 0; axis < 3; ++axis) product *= p.weight[axis][2 * at[axis] + (corner >> axis & 1)];
      weights[corner * s.rows + row] = product;
    }
  }
};

// How far the weight of a neighbour along a halved axis is from 1/2 in a row, if its node lay between coarse ones along that axis
// alone; 0 within two nodes of a face. Where this is small everywhere, all weights are nearly linear.
struct FromLinear {
  Couplings s;
  const double* values;
  std::array<bool, 3> halved;
  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    const std::array<int, 3> at = s.position(static_cast<int>(row / s.dof));
    for (int axis = 0; axis < 3; ++axis)
      if (halved[axis] && !s.wraps[axis] && (at[axis] < 2 || at[axis] >= s.n[axis] - 2)) return 0;
    const std::int64_t c = row % s.dof;
    double down[3] = {}, up[3] = {}, sum = values[(s.centre * s.dof + c) * s.rows + row];
    for (int d = 0; d < s.count; ++d) {
      const double value = values[(s.diagonal[d] * s.dof + c) * s.rows + row];
      sum += value;
      for (int axis = 0; axis < 3; ++axis) {
        if (s.offset[d][axis] < 0) down[axis] -= value;
        if (s.offset[d][axis] > 0) up[axis] -= value;
      }
    }
    double largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double centre = sum + down[axis] + up[axis];
      if (!halved[axis] || !(centre > 0)) continue;
      for (const double side : {down[axis], up[axis]}) {
        const double difference = absolute(side / centre - 0.5);
        largest = difference > largest ? difference : largest;
      }
    }
    return largest;
  }
};

// P^T A P, one coarse row and column of its block a call, index = column * coarse rows + row. The coarse operator has `offsets`
// -1..1 along each axis that is longer than one node: [z][y][x] of `width`.
struct GalerkinRow {
  Couplings s;
  const double* values;
  Nodes p;
  int width[3];
  std::int64_t coarse_rows;
  double* coarse;  // [diagonal][column][row]

  constexpr void operator()(std::int64_t index) const {
    const std::int64_t row = index % coarse_rows;
    const int column = static_cast<int>(index / coarse_rows), node = static_cast<int>(row / s.dof),
              r = static_cast<int>(row % s.dof);
    const std::array<int, 3> at{node % p.coarse_n[0], node / p.coarse_n[0] % p.coarse_n[1],
                                node / p.coarse_n[0] / p.coarse_n[1]};
    double sums[27] = {};
    int k[3] = {}, end[3] = {};
    for (int axis = 0; axis < 3; ++axis) end[axis] = p.first[axis][at[axis] + 1];
    for (k[2] = p.first[2][at[2]]; k[2] < end[2]; ++k[2])
      for (k[1] = p.first[1][at[1]]; k[1] < end[1]; ++k[1])
        for (k[0] = p.first[0][at[0]]; k[0] < end[0]; ++k[0]) add_fine_row(at, k, r, column, sums);
    const int diagonals = width[0] * width[1] * width[2];
    for (int d = 0; d < diagonals; ++d)
      coarse[(static_cast<std::int64_t>(d) * s.dof + column) * coarse_rows + row] = sums[d];
  }

  // Where a coarse node that a fine one reads along an axis has its place among the offsets from `at`.
  constexpr int place(int axis, int at, int node) const {
    if (width[axis] == 1) return 0;
    int step = node - at;
    if (s.wraps[axis] && step > 1) step -= p.coarse_n[axis];
    if (s.wraps[axis] && step < -1) step += p.coarse_n[axis];
    return step + 1;
  }

 private:
  // The fine node that reads this coarse one by the readers k.
  constexpr void add_fine_row(const std::array<int, 3>& at, const int (&k)[3], int r, int column,
                              double (&sums)[27]) const {
    std::array<int, 3> fine{};
    double linear = 1;
    int corner = 0;
    for (int axis = 0; axis < 3; ++axis) {
      fine[axis] = p.reader[axis][k[axis]];
      linear *= p.reader_weight[axis][k[axis]];
      if (p.node[axis][2 * fine[axis]] != at[axis]) corner |= 1 << axis;
    }
    const std::int64_t row = static_cast<std::int64_t>(s.index(fine)) * s.dof + r;
    const double weight = p.weights != nullptr ? p.weights[corner * s.rows + row] : linear;
    if (weight == 0) return;
    for (int d = -1; d < s.count; ++d) {
      const int diagonal = d < 0 ? s.centre : s.diagonal[d];
      const double value = values[(static_cast<std::int64_t>(diagonal) * s.dof + column) * s.rows + row];
      if (value == 0) continue;
      std::array<int, 3> to = fine;
      for (int axis = 0; axis < 3 && d >= 0; ++axis) {
        to[axis] += s.offset[d][axis];
        if (s.wraps[axis] && to[axis] < 0) to[axis] += s.n[axis];
        if (s.wraps[axis] && to[axis] >= s.n[axis]) to[axis] -= s.n[axis];
      }
      add_entry(at, to, column, weight * value, sums);
    }
  }
  // value * P of the row of the node `fine`, whose coarse nodes are those with a weight along each axis.
  constexpr void add_entry(const std::array<int, 3>& at, const std::array<int, 3>& fine, int column,
                           double value, double (&sums)[27]) const {
    const std::int64_t row = static_cast<std::int64_t>(s.index(fine)) * s.dof + column;
    for (int z = 0; z < 2; ++z) {
      const double wz = p.weight[2][2 * fine[2] + z];
      if (wz == 0) continue;
      const int plane = place(2, at[2], p.node[2][2 * fine[2] + z]) * width[1];
      for (int y = 0; y < 2; ++y) {
        const double wy = p.weight[1][2 * fine[1] + y];
        if (wy == 0) continue;
        const int line = (plane + place(1, at[1], p.node[1][2 * fine[1] + y])) * width[0];
        for (int x = 0; x < 2; ++x) {
          const double wx = p.weight[0][2 * fine[0] + x];
          if (wx == 0) continue;
          const double weight =
              p.weights != nullptr ? p.weights[(4 * z + 2 * y + x) * s.rows + row] : wz * wy * wx;
          sums[line + place(0, at[0], p.node[0][2 * fine[0] + x])] += value * weight;
        }
      }
    }
  }
};

// The same where the weights are the products of the tables: a fine row's couplings, as a box of 3 x 3 x 3, are gathered to the
// coarse nodes axis by axis, with indices that the compiler knows.
struct LinearGalerkinRow {
  GalerkinRow row;

  // [offset + 1][place]: what coarse node `at` + place - 1 gives to the fine node at an offset from `fine` along an axis.
  struct Shares {
    double of[3][3] = {};
  };

  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = row.s;
    const Nodes& p = row.p;
    const std::int64_t coarse_row = index % row.coarse_rows;
    const int column = static_cast<int>(index / row.coarse_rows), node = static_cast<int>(coarse_row / s.dof),
              r = static_cast<int>(coarse_row % s.dof);
    const std::array<int, 3> at{node % p.coarse_n[0], node / p.coarse_n[0] % p.coarse_n[1],
                                node / p.coarse_n[0] / p.coarse_n[1]};
    double sums[27] = {};
    for (int kz = p.first[2][at[2]]; kz < p.first[2][at[2] + 1]; ++kz)
      for (int ky = p.first[1][at[1]]; ky < p.first[1][at[1] + 1]; ++ky)
        for (int kx = p.first[0][at[0]]; kx < p.first[0][at[0] + 1]; ++kx)
          add_fine_row(at, {kx, ky, kz}, r, column, sums);
    write(sums, column, coarse_row);
  }

 private:
  constexpr Shares shares(int axis, int at, int fine) const {
    Shares shares;
    const Nodes& p = row.p;
    QUADRILLE_UNROLL
    for (int offset = -1; offset <= 1; ++offset) {
      int to = fine + offset;
      if (row.s.wraps[axis]) to += to < 0 ? row.s.n[axis] : to >= row.s.n[axis] ? -row.s.n[axis] : 0;
      if (to < 0 || to >= row.s.n[axis]) continue;
      QUADRILLE_UNROLL
      for (int which = 0; which < 2; ++which) {
        const int place = row.place(axis, at, p.node[axis][2 * to + which]) + (row.width[axis] == 1 ? 1 : 0);
        for (int q = 0; q < 3; ++q)
          shares.of[offset + 1][q] += q == place ? p.weight[axis][2 * to + which] : 0;
      }
    }
    return shares;
  }

  constexpr void add_fine_row(const std::array<int, 3>& at, const std::array<int, 3>& reader, int r,
                              int column, double (&sums)[27]) const {
    const Couplings& s = row.s;
    std::array<int, 3> fine{};
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) {
      fine[axis] = row.p.reader[axis][reader[axis]];
      weight *= row.p.reader_weight[axis][reader[axis]];
    }
    if (weight == 0) return;
    const double* const from = row.values + static_cast<std::int64_t>(s.index(fine)) * s.dof + r;
    const std::int64_t stride = static_cast<std::int64_t>(s.dof) * s.rows, at_column = column * s.rows;
    const Shares x = shares(0, at[0], fine[0]), y = shares(1, at[1], fine[1]), z = shares(2, at[2], fine[2]);
    QUADRILLE_UNROLL
    for (int dz = 0; dz < 3; ++dz) {
      double plane[9] = {};
      QUADRILLE_UNROLL
      for (int dy = 0; dy < 3; ++dy) {
        double line[3] = {};
        QUADRILLE_UNROLL
        for (int dx = 0; dx < 3; ++dx) {
          const int diagonal = s.box[(dz * 3 + dy) * 3 + dx];
          if (diagonal < 0) continue;
          const double value = from[diagonal * stride + at_column];
          QUADRILLE_UNROLL
          for (int q = 0; q < 3; ++q) line[q] += value * x.of[dx][q];
        }
        QUADRILLE_UNROLL
        for (int p = 0; p < 3; ++p)
          for (int q = 0; q < 3; ++q) plane[3 * p + q] += line[q] * y.of[dy][p];
      }
      QUADRILLE_UNROLL
      for (int o = 0; o < 3; ++o)
        for (int i = 0; i < 9; ++i) sums[9 * o + i] += weight * z.of[dz][o] * plane[i];
    }
  }

  constexpr void write(const double (&sums)[27], int column, std::int64_t coarse_row) const {
    int d = 0;
    QUADRILLE_UNROLL
    for (int place = 0; place < 27; ++place) {
      const bool there = (row.width[0] > 1 || place % 3 == 1) && (row.width[1] > 1 || place / 3 % 3 == 1) &&
                         (row.width[2] > 1 || place / 9 == 1);
      if (!there) continue;
      row.coarse[(static_cast<std::int64_t>(d) * row.s.dof + column) * row.coarse_rows + coarse_row] =
          sums[place];
      ++d;
    }
  }
};

// The operator as a dense matrix, [row][column], a row a call; the matrix is zero before.
struct FillDense {
  Couplings s;
  const double* values;
  double* dense;
  constexpr void operator()(std::int64_t row) const {
    const int node = static_cast<int>(row / s.dof);
    for (int d = -1; d < s.count; ++d)
      for (int c = 0; c < s.dof; ++c) {
        const int diagonal = d < 0 ? s.centre : s.diagonal[d];
        const double value = values[(static_cast<std::int64_t>(diagonal) * s.dof + c) * s.rows + row];
        const std::int64_t to = static_cast<std::int64_t>(d < 0 ? node : s.neighbour(node, d)) * s.dof + c;
        if (value != 0) dense[row * s.rows + to] += value;
      }
  }
};

// The largest sum over a row's entries for one unknown, beside its diagonal entry: 0 where the constants are mapped to zero.
struct RowSum {
  Couplings s;
  const double* values;
  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    double largest = 0;
    for (int c = 0; c < s.dof; ++c) {
      double sum = 0;
      for (int d = -1; d < s.count; ++d)
        sum += values[((d < 0 ? s.centre : s.diagonal[d]) * static_cast<std::int64_t>(s.dof) + c) * s.rows +
                      row];
      largest = absolute(sum) > largest ? absolute(sum) : largest;
    }
    const double diagonal = absolute(values[(s.centre * s.dof + row % s.dof) * s.rows + row]);
    return diagonal > 0 ? largest / diagonal : largest;
  }
};

// The first unknowns of a singular operator are held.
struct DoubleDiagonal {
  std::int64_t rows;
  double* dense;
  constexpr void operator()(std::int64_t i) const { dense[i * rows + i] *= 2; }
};

struct Fill {
  double *to, value;
  constexpr void operator()(std::int64_t i) const { to[i] = value; }
};

template <class T>
struct Square {
  std::int64_t rows;
  const T* x;
  constexpr std::int64_t size() const { return rows; }
  constexpr double operator()(std::int64_t i) const {
    return static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
};

// Numbers in -1..1 that have something of every eigenvector.
template <class T>
struct Noise {
  T* x;
  constexpr void operator()(std::int64_t i) const {
    std::uint64_t h = static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    h ^= h >> 31;
    x[i] = static_cast<T>(static_cast<double>(h >> 11) * 0x1p-52 - 1);
  }
};

}  // namespace quadrille::multigrid
