// The interpolation from the next coarser grid that follows the operator, a row a call. Internal to
// kernels/multigrid.
#pragma once

#include "kernels/multigrid/coarsening_steps.hpp"

namespace quadrille::multigrid {

// Interpolation that follows an operator: where coefficients jump, what is smooth for it is not a linear
// function, but one whose flux is continuous. Source: Dendy, J. Comput. Phys. 48 (1982), "Black box
// multigrid", and its extension to 3D. A node between coarse ones along some axes gets the value at which its
// equation holds, with the equation's coefficients added up along the other axes, and its neighbours
// interpolated before it: those between along fewer axes, so these weights are made for 0, 1, 2 and 3 of them
// one after the other. Unknowns are taken by themselves; one that couples with no other node but with another
// unknown of its own, as what an equation without derivatives says, has that one's weights. Where the
// coefficients of a row add up to zero the weights add up to one. A row that couples with nothing takes no
// part: nothing is interpolated to or from it. A row whose equation gives no sensible value (a sum of
// coefficients that is not positive, as where it couples with nothing along the axes that it is between on,
// or couplings of the diagonal's sign, as those of a mass matrix) is the next coarse node that takes no part
// otherwise, or keeps its linear weights. So the columns of coarse nodes that any row reads are independent.
struct OperatorWeights {
  static constexpr std::int64_t work = 10;
  Couplings s;
  const double* values;
  Nodes p;
  int axes;
  double* weights;

  constexpr void operator()(std::int64_t of_row) const {
    const std::array<int, 3> at = s.position(s.node_of(of_row));
    double sums[8] = {};    // the weights
    if (at[0] >= s.n[0]) {  // behind a line
      if (axes == 0) put(of_row, sums);
      return;
    }
    const bool between[3] = {p.between(at, 0), p.between(at, 1), p.between(at, 2)};
    if (between[0] + between[1] + between[2] != axes) return;
    const std::int64_t own = of_row % s.dof, c = follows(of_row, own), row = of_row - own + c;
    if (stands_alone(row, c)) return put(of_row, sums);
    if (axes == 0) {
      sums[0] = 1;
      return put(of_row, sums);
    }
    // The equation, with its coefficients added up along the axes that the node is not between on.
    const double diagonal = value(s.centre, row, c);
    double sum = diagonal, others = 0;
    for (int d = 0; d < s.count; ++d) {
      const double coupling = value(s.diagonal[d], row, c);
      sum += coupling;
      if (stays(d, between)) continue;
      others += along(at, between, d, c, coupling);
    }
    const double centre = (absolute(sum) > 1e-13 * absolute(diagonal) ? sum : 0) - others;
    if (!(centre > 1e-12 * absolute(diagonal)) || !finite(centre) || others > 1e-12 * absolute(diagonal)) {
      put(of_row, sums);
      return without_equation(at, of_row, c);
    }
    for (int d = 0; d < s.count; ++d) {
      const double coupling = value(s.diagonal[d], row, c);
      if (coupling != 0 && !stays(d, between))
        add_neighbour(at, between, c, d, -along(at, between, d, c, coupling) / centre, sums);
    }
    put(of_row, sums);
  }

 private:
  // The unknown of its node that a row has the most of and that couples with other nodes, where the row
  // itself couples with none; else its own.
  constexpr std::int64_t follows(std::int64_t row, std::int64_t own) const {
    if (s.dof == 1 || s.by_kind || !stands_alone(row, own)) return own;
    std::int64_t most = own;
    double largest = 0;
    for (std::int64_t other = 0; other < s.dof; ++other) {
      const double size = other == own ? 0 : absolute(value(s.centre, row, other));
      if (!(size > largest) || stands_alone(row - own + other, other)) continue;
      largest = size;
      most = other;
    }
    return most;
  }
  // Of a row, to unknown c.
  constexpr double value(int diagonal, std::int64_t row, std::int64_t c) const {
    return values[(diagonal * s.dof + c) * s.stored_rows + s.place(row)];
  }
  constexpr bool stays(int d, const bool (&between)[3]) const {
    for (int axis = 0; axis < 3; ++axis)
      if (between[axis] && s.offset[d][axis] != 0) return false;
    return true;
  }
  // Of a coupling, what leads on to the neighbour along the axes between, whose value stands for that at d.
  // Where that couples to d far more weakly, across the edge of a region, it stands for little of it: nodes
  // past the corner of a region would else tie it to what lies beside it, and through that to other regions,
  // and no function of the coarse grid were constant in it. Noise of one order of magnitude changes nothing.
  constexpr double along(const std::array<int, 3>& at, const bool (&between)[3], int d, std::int64_t c,
                         double coupling) const {
    std::array<int, 3> to = at;
    int back = 13;  // in the box, from there
    bool beside = false;
    for (int axis = 0, step = 1; axis < 3; ++axis, step *= 3) {
      const int o = s.offset[d][axis];
      to[axis] += o;
      if (to[axis] < 0 || to[axis] >= s.n[axis]) {
        if (!s.wraps[axis]) return coupling;
        to[axis] += to[axis] < 0 ? s.n[axis] : -s.n[axis];
      }
      if (between[axis] || o == 0) continue;
      beside = true;
      back -= o * step;
    }
    if (!beside || s.box[back] < 0) return coupling;
    constexpr double far_more = 30;  // 4 costs convergence where there is noise, 1000 some of the gain
    const double on =
        far_more * absolute(value(s.box[back], static_cast<std::int64_t>(s.index(to)) * s.dof + c, c));
    return absolute(coupling) <= on ? coupling : coupling < 0 ? -on : on;
  }
  // sums += share * the weights of the neighbour along the axes between. Along each axis that leads to it, it
  // stands where a coarse node does, which is the first of the two that it reads.
  constexpr void add_neighbour(const std::array<int, 3>& at, const bool (&between)[3], std::int64_t c, int d,
                               double share, double (&sums)[8]) const {
    std::array<int, 3> to = at;
    int moved = 0, second = 0;  // bits: along these axes, to the second of the two that the node is between
    for (int axis = 0; axis < 3; ++axis) {
      if (!between[axis] || s.offset[d][axis] == 0) continue;
      to[axis] += s.offset[d][axis];
      if (to[axis] < 0 || to[axis] >= s.n[axis]) {
        if (!s.wraps[axis]) return;
        to[axis] += to[axis] < 0 ? s.n[axis] : -s.n[axis];
      }
      moved |= 1 << axis;
      if (p.node[axis][2 * to[axis]] != p.node[axis][2 * at[axis]]) second |= 1 << axis;
    }
    const double* const theirs = weights + static_cast<std::int64_t>(s.index(to)) * s.dof + c;
    QUADRILLE_UNROLL
    for (int corner = 0; corner < 8; ++corner)
      if (corner < p.corners && (corner & moved) == second)
        sums[corner] += share * theirs[(corner & ~moved) * s.rows];
  }
  constexpr void put(std::int64_t row, const double (&sums)[8]) const {
    QUADRILLE_UNROLL
    for (int corner = 0; corner < 8; ++corner)
      if (corner < p.corners) weights[corner * s.rows + row] = sums[corner];
  }
  // Whether the row couples with no other node.
  constexpr bool stands_alone(std::int64_t row, std::int64_t c) const {
    for (int d = 0; d < s.count; ++d)
      if (value(s.diagonal[d], row, c) != 0) return false;
    return true;
  }
  constexpr double linear_weight(const std::array<int, 3>& at, int corner) const {
    double product = 1;
    for (int axis = 0; axis < 3; ++axis) product *= p.weight[axis][2 * at[axis] + (corner >> axis & 1)];
    return product;
  }
  // Whether the coarse node at a corner couples with no other node, as far as this rank can see.
  constexpr bool corner_stands_alone(const std::array<int, 3>& at, int corner, std::int64_t c) const {
    std::array<int, 3> there{};
    for (int axis = 0; axis < 3; ++axis) {
      const int coarse = p.node[axis][2 * at[axis] + (corner >> axis & 1)];
      int k = p.first[axis][coarse];
      while (k < p.first[axis][coarse + 1] && p.off[axis][p.reader[axis][k]] != 0) ++k;
      if (k == p.first[axis][coarse + 1]) return false;
      there[axis] = p.reader[axis][k];
    }
    return stands_alone(static_cast<std::int64_t>(s.index(there)) * s.dof + c, c);
  }
  constexpr void without_equation(const std::array<int, 3>& at, std::int64_t row, std::int64_t c) const {
    for (int corner = 0; corner < p.corners; ++corner)
      if (linear_weight(at, corner) != 0 && corner_stands_alone(at, corner, c)) {
        weights[corner * s.rows + row] = 1;
        return;
      }
    double total = 0;
    for (int corner = 0; corner < p.corners; ++corner)
      total += weights[corner * s.rows + row] = linear_weight(at, corner);
    if (total == 0)
      weights[row] = 1;  // on a face that is decoupled as a whole, where linear weights are zero
  }
};

}  // namespace quadrille::multigrid
