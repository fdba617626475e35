#include "kernels/operator_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace quadrille {
namespace {

using Index3 = std::array<std::int64_t, 3>;

void check(const BlockDiagonals<double>& a, const std::array<AxisInterpolation, 3>& axes) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t n = a.extents[axis], m = axes[axis].coarse;
    if (axes[axis].fine != n || (n > 1 && m != n / 2 && m != (n + 1) / 2))
      throw FormatError(
          "operator weights: the interpolation is not between every other node of the operator's grid");
  }
  for (const NodeOffset& o : a.offsets)
    if (std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) > 1)
      throw FormatError("operator weights: the operator couples nodes that are no neighbours");
}

class Weights {
 public:
  Weights(const BlockDiagonals<double>& a, const std::array<AxisInterpolation, 3>& axes)
      : a_(a), axes_(axes), corners_(a.extents[2] == 1 ? 4 : 8), values_(corners_ * a.rows(), 0.0) {
    // The first coarse node: the second one where the low face holds a value, and node 0 is halfway to it.
    for (int axis = 0; axis < 3; ++axis) first_[axis] = axes[axis].weight[0] == 1 ? 0 : 1;
  }

  Array<double> operator()() {
    for (int between = 0; between <= 3; ++between) {
#pragma omp parallel for schedule(static)
      for (std::int64_t node = 0; node < a_.nodes(); ++node) {
        const Index3 at{node % a_.extents[0], node / a_.extents[0] % a_.extents[1],
                        node / a_.extents[0] / a_.extents[1]};
        if (is_between(at, 0) + is_between(at, 1) + is_between(at, 2) != between) continue;
        for (int r = 0; r < a_.dof; ++r) interpolate(at, node, r);
      }
    }
    return std::move(values_);
  }

 private:
  bool is_between(const Index3& at, int axis) const {
    return axes_[axis].fine > 1 && (at[axis] - first_[axis]) % 2 != 0;
  }
  double& weight(int corner, std::int64_t row) {
    return values_[corner * a_.rows() + row];
  }

  // The equation of a row, its coefficients added up along the axes that its node is not between on.
  struct Equation {
    std::array<double, 27> coefficient{};  // [z + 1][y + 1][x + 1]
    double sum = 0, diagonal = 0;
  };
  Equation equation(const Index3& at, std::int64_t row, int r) const {
    Equation e;
    for (std::int64_t d = 0; d < a_.diagonals(); ++d) {
      const double value = a_.values[(d * a_.dof + r) * a_.rows() + row];
      const NodeOffset& o = a_.offsets[d];
      const int x = is_between(at, 0) ? o.x : 0, y = is_between(at, 1) ? o.y : 0,
                z = is_between(at, 2) ? o.z : 0;
      e.coefficient[(z + 1) * 9 + (y + 1) * 3 + x + 1] += value;
      e.sum += value;
      if (o == NodeOffset{}) e.diagonal = value;
    }
    return e;
  }

  void interpolate(const Index3& at, std::int64_t node, int r) {
    const std::int64_t row = node * a_.dof + r;
    if (!is_between(at, 0) && !is_between(at, 1) && !is_between(at, 2)) {
      weight(0, row) = 1;
      return;
    }
    const Equation e = equation(at, row, r);
    // The centre's coefficient, from the sum, which is exactly zero where rounding is all there is of it.
    double centre = std::abs(e.sum) > 1e-13 * std::abs(e.diagonal) ? e.sum : 0;
    for (int o = 0; o < 27; ++o)
      if (o != 13) centre -= e.coefficient[o];
    if (!(centre > 1e-12 * std::abs(e.diagonal)) || !std::isfinite(centre)) return keep_linear(at, row);
    for (int o = 0; o < 27; ++o)
      if (o != 13 && e.coefficient[o] != 0)
        add_neighbour(at, row, r, {o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1}, -e.coefficient[o] / centre);
  }

  // weights of the row += share * those of its neighbour.
  void add_neighbour(const Index3& at, std::int64_t row, int r, const Index3& offset, double share) {
    Index3 to;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = a_.extents[axis];
      to[axis] = (at[axis] + offset[axis] + n) % n;
    }
    const std::int64_t from = ((to[2] * a_.extents[1] + to[1]) * a_.extents[0] + to[0]) * a_.dof + r;
    for (int corner = 0; corner < corners_; ++corner) {
      const double theirs = weight(corner, from);
      if (theirs == 0) continue;
      int ours = 0;  // the corner of this node that is the same coarse node
      for (int axis = 0; axis < 3; ++axis) {
        const auto& nodes = axes_[axis].node;
        if (nodes[2 * to[axis] + (corner >> axis & 1)] != nodes[2 * at[axis]]) ours |= 1 << axis;
      }
      weight(ours, row) += share * theirs;
    }
  }

  void keep_linear(const Index3& at, std::int64_t row) {
    for (int corner = 0; corner < corners_; ++corner) {
      double product = 1;
      for (int axis = 0; axis < 3; ++axis) product *= axes_[axis].weight[2 * at[axis] + (corner >> axis & 1)];
      weight(corner, row) = product;
    }
  }

  const BlockDiagonals<double>& a_;
  const std::array<AxisInterpolation, 3>& axes_;
  const int corners_;
  Array<double> values_;
  Index3 first_{};
};

}  // namespace

Array<double> operator_weights(const BlockDiagonals<double>& a,
                               const std::array<AxisInterpolation, 3>& axes) {
  check(a, axes);
  return Weights(a, axes)();
}

}  // namespace quadrille
