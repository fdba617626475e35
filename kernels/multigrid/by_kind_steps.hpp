// Levels of several unknowns a node whose neighbours couple each unknown with its own kind alone, as the
// operator's fill says: species that spread by themselves and react at a node. Their rows are
//
//   A beside the diagonal   [coupling][stored row]: one number where a block would have as many as unknowns
//   D^-1                    [column][stored row], which the sums of all rows of a node are multiplied by
//
// and coarse operators keep that form. P^T A P of the blocks on the diagonal would couple all unknowns of 27
// nodes; what it sums to over a row's neighbours is put into the coarse block on the diagonal instead, as a
// discretisation of the coarse grid would have it. Of each kind that is done with its row sums (what reacts,
// a step in time, faces that hold values), and P^T A P is of the rest; so constants see P^T A P itself, and
// reactions that conserve something do so on every grid. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/galerkin_steps.hpp"

namespace quadrille::multigrid {

// A of each kind beside the diagonal, in the cycle's precision; 0 where ScaleRows has it.
template <class T>
struct TakeOfKind {
  Couplings s;
  const double* values;
  T* of_kind;
  constexpr void operator()(std::int64_t row) const {
    const int node = s.node_of(row);
    const std::int64_t kind = row - std::int64_t{node} * s.dof;
    for (int d = 0; d < s.count; ++d) {
      const bool there = !s.shared || s.leads_inside(s.position(node), d);
      of_kind[d * s.stored_rows + row] =
          there ? static_cast<T>(values[(s.diagonal[d] * s.dof + kind) * s.stored_rows + row]) : T(0);
    }
  }
};

// Of D^-1 A: no eigenvalue is larger than the largest of these.
template <class T>
struct BoundOfKinds {
  Couplings s;
  const T *of_kind, *inverse;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    const std::int64_t first = std::int64_t{s.node_of(row)} * s.dof;
    double sum = 1;
    for (int c = 0; c < s.dof; ++c) {
      double beside = 0;
      for (int d = 0; d < s.count; ++d) beside += absolute(of_kind[d * s.stored_rows + first + c]);
      sum += beside * absolute(inverse[c * s.stored_rows + row]);
    }
    return sum;
  }
};

// Minus the sum of a stored row's couplings with its own kind: its entry on the diagonal, but for its sum.
struct CentreWithoutSum {
  Couplings s;
  const double* values;
  double* centre;
  constexpr void operator()(std::int64_t row) const {
    const std::int64_t kind = row % s.dof;
    double sum = 0;
    for (int d = 0; d < s.count; ++d) sum += values[(s.diagonal[d] * s.dof + kind) * s.stored_rows + row];
    centre[row] = -sum;
  }
};

// Of a row its couplings with its own kind, [diagonal][stored row], the one on the diagonal being `centre`'s
// where that is there; and from there into blocks that hold nothing else.
struct TakeKinds {
  Couplings s;
  const double *values, *centre;
  double* to;
  constexpr void operator()(std::int64_t i) const {
    const std::int64_t d = i / s.stored_rows, row = i - d * s.stored_rows;
    to[i] = centre != nullptr && d == s.centre ? centre[row]
                                               : values[(d * s.dof + row % s.dof) * s.stored_rows + row];
  }
};
struct PutKinds {
  std::int64_t rows, dof;  // of the coarse operator
  const double* from;
  double* coarse;
  constexpr void operator()(std::int64_t i) const {
    const std::int64_t d = i / rows, row = i - d * rows;
    coarse[(d * dof + row % dof) * rows + row] = from[i];
  }
};

// Linear weights of every fine node, [corner][node], as weights by the operator stand for every row.
struct LinearWeights {
  Couplings s;
  Nodes p;
  double* weights;
  constexpr void operator()(std::int64_t node) const {
    const std::array<int, 3> at = s.position(static_cast<int>(node));
    for (int corner = 0; corner < p.corners; ++corner) {
      double product = 1;
      for (int axis = 0; axis < 3; ++axis) product *= p.weight[axis][2 * at[axis] + (corner >> axis & 1)];
      weights[corner * s.nodes + node] = product;
    }
  }
};

// How much of the coarse constants each weight of a fine row, or node, adds up to.
struct SumOfWeights {
  std::int64_t size;
  int corners;
  const double* weights;
  double* sums;
  constexpr void operator()(std::int64_t i) const {
    double sum = 0;
    for (int corner = 0; corner < corners; ++corner) sum += weights[corner * size + i];
    sums[i] = sum;
  }
};

// The coarse block on the diagonal, an entry a call: index = column * coarse rows + row. What a row of P^T R
// P sums to, with the blocks R of A's diagonal and, of each kind, the sum of its row; the mean with what the
// column sums to, so that it is symmetric where R is. Adds to what GalerkinLine made of each kind.
struct BlockOfSums {
  static constexpr std::int64_t work = 30;
  CoarseOperator of;
  const double* sums;  // of weights; null of linear ones, which come from the tables of the axes

  constexpr std::int64_t size() const { return of.coarse_rows * of.s.dof; }
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = of.s;
    const std::int64_t row = index % of.coarse_rows, column = index / of.coarse_rows;
    const int node = divide(static_cast<int>(row), s.by_dof), r = static_cast<int>(row) - node * s.dof;
    const std::array<int, 3> at = of.position(node);
    double sum = 0;
    for (int k = 0; k < of.readers(2, at[2]); ++k)
      for (int j = 0; j < of.readers(1, at[1]); ++j)
        for (int i = 0; i < of.readers(0, at[0]); ++i) {
          const int fine[3] = {of.fine(0, i, at[0]), of.fine(1, j, at[1]), of.fine(2, k, at[2])};
          int corner = 0;
          for (int axis = 0; axis < 3; ++axis)
            corner |= of.p.node[axis][2 * fine[axis]] != at[axis] ? 1 << axis : 0;
          sum += entry(corner, fine, r, static_cast<int>(column));
        }
    const std::int64_t place = (of.diagonal(1, 1, 1) * s.dof + column) * of.coarse_rows + row;
    of.coarse[place] += sum;
  }

 private:
  constexpr double entry(int corner, const int (&fine)[3], int r, int c) const {
    const Couplings& s = of.s;
    const int node = s.index({fine[0], fine[1], fine[2]});
    const std::int64_t first = std::int64_t{node} * s.dof, own = s.place(first + r);
    double value = of.values[(s.centre * s.dof + c) * s.stored_rows + own];
    if (r == c) value -= of.centre[own];
    if (value == 0) return 0;
    if (sums == nullptr) {
      for (int axis = 0; axis < 3; ++axis) {
        const double* const of_axis = of.p.weight[axis] + 2 * fine[axis];
        value *= of_axis[corner >> axis & 1] * (of_axis[0] + of_axis[1]);
      }
      return value;
    }
    const std::int64_t row = of.weight_place(node, r), column = of.weight_place(node, c);
    const double* const weights = of.p.weights + corner * of.weights_of_corner();
    return 0.5 * (weights[row] * sums[column] + weights[column] * sums[row]) * value;
  }
};

}  // namespace quadrille::multigrid
