// P^T A P of all rows by linear weights, where the axes are halved in the usual way. Internal to
// kernels/multigrid.
#pragma once

#include "kernels/multigrid/galerkin_steps.hpp"

namespace quadrille::multigrid {

// What LinearGalerkinColumn makes (galerkin_steps.hpp), of a whole star or box where three axes are halved as
// HalvedAxis says: a call makes all 27 numbers of a coarse row, so that one thread of a line asks for a fine
// row, and all it asks for at once. A fine plane between two coarse ones is made once.
template <bool Star>
struct HalvedGalerkinColumn {
  static constexpr std::int64_t work = 20;
  static constexpr int blocks_of_processor = Star ? 3 : 2;  // else what is added up does not fit registers
  CoarseOperator of;
  int planes;  // of a call

  constexpr int line() const { return of.p.coarse_n[0] * of.s.dof; }
  constexpr std::int64_t lines() const { return std::int64_t{of.p.coarse_n[1]} * parts_of_line() * of.s.dof; }
  constexpr std::int64_t size() const { return line() * lines(); }
  constexpr void operator()(std::int64_t index) const {
    make(static_cast<int>(index % line()), index / line());
  }
  // Of row `place` of a line.
  constexpr void make(int place, std::int64_t line_number) const {
    const Couplings& s = of.s;
    const int y = static_cast<int>(line_number % of.p.coarse_n[1]),
              part = static_cast<int>(line_number / of.p.coarse_n[1]), parts = parts_of_line(),
              column = part / parts, first = part % parts * planes, left = of.p.coarse_n[2] - first,
              end = first + (planes < left ? planes : left), x = divide(place, s.by_dof),
              r = place - x * s.dof;
    const FineNodes in_line(of, 0, x), in_plane(of, 1, y);
    const double* const values = of.values + std::int64_t{column} * s.stored_rows + r;
    double made[27] = {};  // of a fine plane, [offset along z][coarse neighbour along y][x]
    for (int plane = first; plane < end; ++plane) {
      const FineNodes z(of, 2, plane);
      const auto make_reader = [&](int reader) {
        make_plane(values, in_line, in_plane, z.node(reader), made);
      };
      double sums[27] = {};  // [coarse neighbour along z][y][x]
      if (plane == first) make_reader(0);
      add_plane<0>(z, made, sums);
      make_reader(1);
      add_plane<1>(z, made, sums);
      make_reader(2);
      add_plane<2>(z, made, sums);
      write(sums, column, (std::int64_t{plane} * of.p.coarse_n[1] + y) * line() + place);
    }
  }

 private:
  constexpr int parts_of_line() const { return (of.p.coarse_n[2] + planes - 1) / planes; }

  // Along an axis: the fine node that a coarse one is, and those beside it, with their weights. Where one is
  // not there its weights are zero, and its neighbour is read in its place.
  struct FineNodes {
    int centre, before, behind;
    double low, low_beside, high, high_beside;
    constexpr FineNodes(const CoarseOperator& of, int axis, int at)
        : centre(2 * at + of.p.halved[axis].first),
          before(centre > 0 ? 1 : 0),
          behind(centre + 1 < of.s.n[axis] ? 1 : 0) {
      const double* const weights = of.p.halved[axis].weights + 4 * at;
      low = weights[0], low_beside = weights[1], high = weights[2], high_beside = weights[3];
    }
    constexpr int node(int reader) const {
      return reader == 0 ? centre - before : reader == 1 ? centre : centre + behind;
    }
    // What of a reader's coupling at an offset comes to the coarse node at q, if any.
    static constexpr bool has_share(int reader, int offset, int q) {
      const int place = reader + offset - 2 * q;  // of fine nodes, from the coarse one at q on
      return place >= -1 && place <= 1;
    }
    constexpr double share(int reader, int offset, int q) const {
      const double own = reader == 0 ? low : reader == 2 ? high : 1;
      const int place = reader + offset - 2;
      if (place % 2 == 0) return own;
      return own * (place < 0 ? (q == 0 ? low_beside : low) : (q == 2 ? high_beside : high));
    }
  };

  // What the lines of a fine plane that read those of a coarse row couple with.
  constexpr void make_plane(const double* values, const FineNodes& x, const FineNodes& y, int plane,
                            double (&made)[27]) const {
    for (double& number : made) number = 0;
    add_line<0>(values, x, y, plane, made);
    add_line<1>(values, x, y, plane, made);
    add_line<2>(values, x, y, plane, made);
  }
  template <int reader>
  constexpr void add_line(const double* values, const FineNodes& x, const FineNodes& y, int plane,
                          double (&made)[27]) const {
    const Couplings& s = of.s;
    const std::int64_t stride = std::int64_t{s.dof} * s.stored_rows;
    const std::int64_t node = s.first_of_line(y.node(reader), plane) + x.centre;
    const double* const from = values + node * s.dof;
    const int before = -x.before * s.dof, behind = x.behind * s.dof;
    QUADRILLE_UNROLL
    for (int slot = 0; slot < 9; ++slot) {  // offsets along z and y
      if (Star && slot % 2 == 0 && slot != 4) continue;
      const auto load = [&](int offset, double(&of_rows)[3]) {
        const double* const at = from + s.box[3 * slot + offset] * stride;
        of_rows[0] = at[before], of_rows[1] = at[0], of_rows[2] = at[behind];
      };
      double down[3] = {}, own[3] = {}, up[3] = {};  // of three fine rows
      double along_x[3] = {};                        // [coarse neighbour]
      load(1, own);
      along_x[0] = x.low_beside * own[0];
      along_x[1] = x.low * own[0];
      double of_high = x.high * own[2];
      along_x[2] = x.high_beside * own[2];
      if (!Star || slot == 4) {
        load(0, down);
        load(2, up);
        along_x[0] += down[0];
        along_x[1] += up[0] + down[1];
        of_high += up[1] + down[2];
        along_x[2] += up[2];
      }
      along_x[0] = x.low * along_x[0] + x.low_beside * down[1];
      along_x[1] = x.low * along_x[1] + own[1] + x.high * of_high;
      along_x[2] = x.high * along_x[2] + x.high_beside * up[1];
      QUADRILLE_UNROLL
      for (int q = 0; q < 3; ++q) {
        if (!FineNodes::has_share(reader, slot % 3, q)) continue;
        const double share = y.share(reader, slot % 3, q);
        for (int k = 0; k < 3; ++k) made[9 * (slot / 3) + 3 * q + k] += share * along_x[k];
      }
    }
  }
  template <int reader>
  static constexpr void add_plane(const FineNodes& z, const double (&made)[27], double (&sums)[27]) {
    QUADRILLE_UNROLL
    for (int i = 0; i < 9; ++i) {  // offset along z, coarse neighbour along z
      if (!FineNodes::has_share(reader, i / 3, i % 3)) continue;
      const double share = z.share(reader, i / 3, i % 3);
      QUADRILLE_UNROLL
      for (int k = 0; k < 9; ++k) sums[9 * (i % 3) + k] += share * made[9 * (i / 3) + k];
    }
  }
  constexpr void write(const double (&sums)[27], int column, std::int64_t coarse_row) const {
    QUADRILLE_UNROLL
    for (int d = 0; d < 27; ++d)
      of.coarse[(std::int64_t{d} * of.s.dof + column) * of.coarse_rows + coarse_row] = sums[d];
  }
};

}  // namespace quadrille::multigrid
