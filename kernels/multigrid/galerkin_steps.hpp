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
// are gathered to the coarse nodes axis by axis, with shares that were computed for each axis
// (GalerkinAxis). A call makes one plane of offsets of a coarse row, few enough sums for registers; the planes
// of one layer of coarse nodes come one after the other, for they read the same fine rows.
struct LinearGalerkinRow {
  static constexpr int blocks_at_once = 2;
  GalerkinRow row;

  constexpr std::int64_t size() const { return row.coarse_rows * row.s.dof * row.width[2]; }
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = row.s;
    const Nodes& p = row.p;
    const std::int64_t of_column = row.coarse_rows * row.width[2],
                       of_layer = std::int64_t{p.coarse_n[0]} * p.coarse_n[1] * s.dof;
    const int column = static_cast<int>(index / of_column),
              layer = static_cast<int>(index % of_column / of_layer),
              in_layer = static_cast<int>(index % of_column % of_layer), node = in_layer / s.dof;
    const int x = node % p.coarse_n[0], y = node / p.coarse_n[0], z = layer / row.width[2],
              plane = row.width[2] == 1 ? 1 : layer % row.width[2];
    double x_shares[27] = {};
    QUADRILLE_UNROLL
    for (int i = 0; i < 27; ++i) x_shares[i] = share(0, i, x);
    const double* const first =
        row.values + static_cast<std::int64_t>(column) * s.rows + (in_layer - node * s.dof);
    double sums[9] = {};
    for (int i = 0; i < 9; ++i) {  // reader along z, offset
      const double of_z = share(2, 3 * i + plane, z);
      if (of_z == 0) continue;
      for (int ky = 0; ky < 3; ++ky) {
        const int line = (fine(2, i / 3, z) * s.n[1] + fine(1, ky, y)) * s.n[0];
        double lines[9] = {};  // [offset along y][coarse x]
        QUADRILLE_UNROLL
        for (int kx = 0; kx < 3; ++kx)
          add_fine_row(first + static_cast<std::int64_t>(line + fine(0, kx, x)) * s.dof, i % 3,
                       x_shares + 9 * kx, lines);
        QUADRILLE_UNROLL
        for (int k = 0; k < 9; ++k) {  // offset along y, coarse y
          const double of_y = of_z * share(1, 9 * ky + k, y);
          for (int q = 0; q < 3; ++q) sums[3 * (k % 3) + q] += lines[3 * (k / 3) + q] * of_y;
        }
      }
    }
    write(sums, plane, column, static_cast<std::int64_t>(z) * of_layer + in_layer);
  }

 private:
  constexpr double share(int axis, int i, int coarse) const {
    return row.p.shares[axis][i * row.p.coarse_n[axis] + coarse];
  }
  constexpr int fine(int axis, int reader, int coarse) const {
    return row.p.fine[axis][reader * row.p.coarse_n[axis] + coarse];
  }

  // The couplings at one offset along z of the fine row at `from`, gathered to the coarse nodes along x.
  constexpr void add_fine_row(const double* from, int offset_z, const double* x_shares,
                              double (&lines)[9]) const {
    const std::int64_t stride = static_cast<std::int64_t>(row.s.dof) * row.s.rows;
    QUADRILLE_UNROLL
    for (int k = 0; k < 9; ++k) {  // offset along y, along x
      const int diagonal = row.s.box[9 * offset_z + k];
      if (diagonal < 0) continue;
      const double value = from[diagonal * stride];
      for (int q = 0; q < 3; ++q) lines[k / 3 * 3 + q] += value * x_shares[k % 3 * 3 + q];
    }
  }

  constexpr void write(const double (&sums)[9], int plane, int column, std::int64_t coarse_row) const {
    const int nx = row.width[0], ny = row.width[1], first = row.width[2] == 1 ? 0 : plane * nx * ny;
    QUADRILLE_UNROLL
    for (int k = 0; k < 9; ++k) {
      if ((nx == 1 && k % 3 != 1) || (ny == 1 && k / 3 != 1)) continue;
      const int d = first + (ny == 1 ? 0 : k / 3 * nx) + (nx == 1 ? 0 : k % 3);
      row.coarse[(static_cast<std::int64_t>(d) * row.s.dof + column) * row.coarse_rows + coarse_row] =
          sums[k];
    }
  }
};

}  // namespace quadrille::multigrid
