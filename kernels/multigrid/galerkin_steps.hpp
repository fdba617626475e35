// The coarse operator P^T A P, a coarse row and a column of its blocks a call. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/coarsening_steps.hpp"

namespace quadrille::multigrid {

// P^T A P, one coarse row and column of its block a call, index = column * coarse rows + row. The coarse
// operator has `offsets` -1..1 along each axis that is longer than one node: [z][y][x] of `width`.
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
      if (d >= 0 && s.shared && !s.leads_inside(fine, d)) continue;  // in the outermost layer of a shared box
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

// The same where the weights are the products of the tables: a fine row's couplings, as a box of 3 x 3 x 3,
// are gathered to the coarse nodes axis by axis, with indices that the compiler knows.
struct LinearGalerkinRow {
  GalerkinRow row;

  // [offset + 1][place]: what coarse node `at` + place - 1 gives to the fine node at an offset from a reader
  // of `at` along an axis, times the weight of that reader.
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
    const double* const first = row.values + static_cast<std::int64_t>(column) * s.rows + r;
    for (int kz = p.first[2][at[2]]; kz < p.first[2][at[2] + 1]; ++kz) {
      const int fine_z = p.reader[2][kz];
      const Shares z = shares(2, at[2], fine_z, p.reader_weight[2][kz]);
      double planes[3][9] = {};  // [offset along z][coarse y and x]
      for (int ky = p.first[1][at[1]]; ky < p.first[1][at[1] + 1]; ++ky) {
        const int fine_y = p.reader[1][ky];
        const Shares y = shares(1, at[1], fine_y, p.reader_weight[1][ky]);
        double lines[3][3][3] = {};  // [offset along z][along y][coarse x]
        for (int kx = p.first[0][at[0]]; kx < p.first[0][at[0] + 1]; ++kx) {
          const int fine_x = p.reader[0][kx];
          add_fine_row(first + static_cast<std::int64_t>(s.index({fine_x, fine_y, fine_z})) * s.dof,
                       shares(0, at[0], fine_x, p.reader_weight[0][kx]), lines);
        }
        QUADRILLE_UNROLL
        for (int dz = 0; dz < 3; ++dz)
          for (int dy = 0; dy < 3; ++dy)
            for (int i = 0; i < 9; ++i) planes[dz][i] += lines[dz][dy][i % 3] * y.of[dy][i / 3];
      }
      QUADRILLE_UNROLL
      for (int dz = 0; dz < 3; ++dz)
        for (int i = 0; i < 27; ++i) sums[i] += planes[dz][i % 9] * z.of[dz][i / 9];
    }
    write(sums, column, coarse_row);
  }

 private:
  constexpr Shares shares(int axis, int at, int fine, double weight) const {
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
          shares.of[offset + 1][q] += q == place ? weight * p.weight[axis][2 * to + which] : 0;
      }
    }
    return shares;
  }

  // The couplings of the fine row at `from`, gathered to the coarse nodes along x.
  constexpr void add_fine_row(const double* from, const Shares& x, double (&lines)[3][3][3]) const {
    const std::int64_t stride = static_cast<std::int64_t>(row.s.dof) * row.s.rows;
    QUADRILLE_UNROLL
    for (int place = 0; place < 27; ++place) {
      const int diagonal = row.s.box[place];
      if (diagonal < 0) continue;
      const double value = from[diagonal * stride];
      for (int q = 0; q < 3; ++q) lines[place / 9][place / 3 % 3][q] += value * x.of[place % 3][q];
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

}  // namespace quadrille::multigrid
