// The coarse operator P^T A P, a coarse row and a column of its blocks a call. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/coarsening_steps.hpp"

namespace quadrille::multigrid {

// P^T A P, one coarse row and column of its block a call, index = column * coarse rows + row, by weights of
// every fine row. The coarse operator has `offsets` -1..1 along each axis that is longer than one node:
// [z][y][x] of `width`.
struct GalerkinRow {
  static constexpr std::int64_t work = 200;
  Couplings s;
  const double* values;
  Nodes p;
  int width[3];
  StoredNodes coarse_nodes;  // all of them, but of linear weights
  std::int64_t coarse_rows;  // those that are stored
  double* coarse;            // [diagonal][column][row]

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
    int corner = 0;
    for (int axis = 0; axis < 3; ++axis) {
      fine[axis] = p.reader[axis][k[axis]];
      if (p.node[axis][2 * fine[axis]] != at[axis]) corner |= 1 << axis;
    }
    const std::int64_t row = static_cast<std::int64_t>(s.index(fine)) * s.dof + r;
    const double weight = p.weights[corner * s.rows + row];
    if (weight == 0) return;
    for (int d = -1; d < s.count; ++d) {
      const int diagonal = d < 0 ? s.centre : s.diagonal[d];
      const double value =
          values[(static_cast<std::int64_t>(diagonal) * s.dof + column) * s.stored_rows + s.place(row)];
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
      if (p.weight[2][2 * fine[2] + z] == 0) continue;
      const int plane = place(2, at[2], p.node[2][2 * fine[2] + z]) * width[1];
      for (int y = 0; y < 2; ++y) {
        if (p.weight[1][2 * fine[1] + y] == 0) continue;
        const int line = (plane + place(1, at[1], p.node[1][2 * fine[1] + y])) * width[0];
        for (int x = 0; x < 2; ++x) {
          if (p.weight[0][2 * fine[0] + x] == 0) continue;
          const double weight = p.weights[(4 * z + 2 * y + x) * s.rows + row];
          sums[line + place(0, at[0], p.node[0][2 * fine[0] + x])] += value * weight;
        }
      }
    }
  }
};

// The same where the weights are the products of the tables: a fine row's couplings, as a box of 3 x 3 x 3,
// are gathered to the coarse nodes axis by axis, with shares that were computed for each axis
// (galerkin_axis()). A call makes the three numbers of a coarse row at one offset along z and one along x,
// few enough for their sums to stay in registers and for many rows to be under way at once. What reads the
// same fine rows comes one after the other. Star: a row couples along the axes alone. All: every fine node's
// row is stored.
template <bool Star, bool All>
struct LinearGalerkinRow {
  static constexpr std::int64_t work = 50;
  GalerkinRow row;

  constexpr std::int64_t size() const { return row.coarse_rows * row.s.dof * row.width[2] * row.width[0]; }
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = row.s;
    const Nodes& p = row.p;
    int n[3] = {p.coarse_n[0], p.coarse_n[1], p.coarse_n[2]};  // stored ones
    for (int axis = 0; axis < 3 && !row.coarse_nodes.all; ++axis) n[axis] = row.coarse_nodes.n[axis];
    const std::int64_t in_layer = std::int64_t{n[0]} * n[1] * s.dof;
    const int offsets = row.width[2] * row.width[0], layers = offsets * n[2],
              layer = static_cast<int>(index / in_layer), column = layer / layers, offset = layer % offsets,
              place = static_cast<int>(index - layer * in_layer), node = place / s.dof,
              plane = layer % layers / offsets;
    int at[3] = {node % n[0], node / n[0], plane};
    for (int axis = 0; axis < 3 && !row.coarse_nodes.all; ++axis)
      at[axis] = row.coarse_nodes.first(axis, at[axis]);
    const int qz = row.width[2] == 1 ? 1 : offset / row.width[0],
              qx = row.width[0] == 1 ? 1 : offset % row.width[0];
    if (at[0] >= p.coarse_n[0]) return write({}, qz, qx, column, plane * in_layer + place);  // behind a line
    double x_shares[9] = {};  // [reader][offset]
    QUADRILLE_UNROLL
    for (int i = 0; i < 9; ++i) x_shares[i] = share(0, 3 * i + qx, at[0]);
    const double* const first =
        row.values + static_cast<std::int64_t>(column) * s.stored_rows + (place - node * s.dof);
    double sums[3] = {};           // [coarse neighbour along y]
    for (int i = 0; i < 9; ++i) {  // reader along z, offset
      const double of_z = share(2, 3 * i + qz, at[2]);
      if (of_z == 0) continue;
      for (int ky = 0; ky < 3; ++ky) {
        const int z = fine(2, i / 3, at[2]), y = fine(1, ky, at[1]);
        double lines[3] = {};  // [offset along y]
        const bool centre_alone = Star && i % 3 != 1;
        QUADRILLE_UNROLL
        for (int kx = 0; kx < 3; ++kx)
          add_fine_row(first + static_cast<std::int64_t>(stored_node(fine(0, kx, at[0]), y, z)) * s.dof,
                       i % 3, centre_alone, x_shares + 3 * kx, lines);
        QUADRILLE_UNROLL
        for (int k = 0; k < 9; ++k) {
          if (centre_alone && k / 3 != 1) continue;
          sums[k % 3] += lines[k / 3] * (of_z * share(1, 9 * ky + k, at[1]));
        }
      }
    }
    write(sums, qz, qx, column, plane * in_layer + place);
  }

 private:
  constexpr double share(int axis, int i, int coarse) const {
    return row.p.shares[axis][i * row.p.coarse_n[axis] + coarse];
  }
  constexpr int stored_node(int x, int y, int z) const {
    return All ? row.s.index({x, y, z}) : row.s.stored.index(x, y, z);
  }
  constexpr int fine(int axis, int reader, int coarse) const {
    return row.p.fine[axis][reader * row.p.coarse_n[axis] + coarse];
  }

  // The couplings at one offset along z of the fine row at `from`, gathered to the coarse node along x.
  constexpr void add_fine_row(const double* from, int offset_z, bool centre_alone, const double* x_shares,
                              double (&lines)[3]) const {
    const std::int64_t stride = static_cast<std::int64_t>(row.s.dof) * row.s.stored_rows;
    if (centre_alone) {
      const int diagonal = row.s.box[9 * offset_z + 4];
      if (diagonal >= 0 && x_shares[1] != 0) lines[1] += from[diagonal * stride] * x_shares[1];
      return;
    }
    double values[9] = {};  // [offset along y][along x], all of them under way at once
    QUADRILLE_UNROLL
    for (int k = 0; k < 9; ++k) {
      if (Star && k % 2 == 0 && k != 4) continue;
      const int diagonal = row.s.box[9 * offset_z + k];
      values[k] = diagonal < 0 || x_shares[k % 3] == 0 ? 0 : from[diagonal * stride];
    }
    QUADRILLE_UNROLL
    for (int k = 0; k < 9; ++k)
      if (!Star || k % 2 == 1 || k == 4) lines[k / 3] += values[k] * x_shares[k % 3];
  }

  constexpr void write(const double (&sums)[3], int qz, int qx, int column, std::int64_t coarse_row) const {
    const int nx = row.width[0], ny = row.width[1], first = row.width[2] == 1 ? 0 : qz * nx * ny;
    QUADRILLE_UNROLL
    for (int qy = 0; qy < 3; ++qy) {
      if (ny == 1 && qy != 1) continue;
      const int d = first + (ny == 1 ? 0 : qy * nx) + (nx == 1 ? 0 : qx);
      row.coarse[(static_cast<std::int64_t>(d) * row.s.dof + column) * row.coarse_rows + coarse_row] =
          sums[qy];
    }
  }
};

}  // namespace quadrille::multigrid
