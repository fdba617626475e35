#include "kernels/operator_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace quadrille {
namespace {

using Index3 = std::array<std::int64_t, 3>;

void check(const BlockStructure& a, const std::array<AxisInterpolation, 3>& axes) {
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
  Weights(const OperatorPlanes& a, const std::array<AxisInterpolation, 3>& axes)
      : whole_(a.whole),
        axis_(a.axis),
        planes_(a.planes),
        place_(static_cast<std::size_t>(a.whole.extents[a.axis]), -1),
        a_(a.values),
        axes_(axes),
        corners_(a.whole.extents[2] == 1 ? 4 : 8),
        plane_nodes_(a.whole.nodes() / a.whole.extents[a.axis]),
        rows_(static_cast<std::int64_t>(planes_.size()) * plane_nodes_ * a.whole.dof),
        values_(corners_ * rows_, 0.0) {
    for (std::size_t i = 0; i < planes_.size(); ++i) place_[planes_[i]] = static_cast<std::int32_t>(i);
    // The first coarse node: the second one where the low face holds a value, and node 0 is halfway to it.
    for (int axis = 0; axis < 3; ++axis) first_[axis] = axes[axis].weight[0] == 1 ? 0 : 1;
  }

  Array<double> operator()() {
    const Index3& n = whole_.extents;
    for (int between = 0; between <= 3; ++between) {
#pragma omp parallel for schedule(static)
      for (std::int64_t node = 0; node < rows_ / whole_.dof; ++node) {
        const std::int64_t in_plane = node % plane_nodes_;
        Index3 at{in_plane % n[0], in_plane / n[0] % n[1], in_plane / n[0] / n[1]};
        at[axis_] = planes_[node / plane_nodes_];
        if (is_between(at, 0) + is_between(at, 1) + is_between(at, 2) != between) continue;
        if (is_between(at, axis_) && !sees_both_sides(at[axis_])) continue;
        for (int r = 0; r < whole_.dof; ++r) interpolate(at, node, r);
      }
    }
    return std::move(values_);
  }

 private:
  bool is_between(const Index3& at, int axis) const {
    return axes_[axis].fine > 1 && (at[axis] - first_[axis]) % 2 != 0;
  }
  // Where a plane beside this one is missing among ours, its weights are nobody's here.
  bool sees_both_sides(std::int64_t plane) const {
    const std::int64_t n = whole_.extents[axis_];
    for (const std::int64_t beside : {plane - 1, plane + 1}) {
      if ((beside < 0 || beside >= n) && !whole_.periodic[axis_]) continue;
      if (place_[(beside + n) % n] < 0) return false;
    }
    return true;
  }
  double& weight(int corner, std::int64_t row) {
    return values_[corner * rows_ + row];
  }

  // The equation of a row, its coefficients added up along the axes that its node is not between on.
  struct Equation {
    std::array<double, 27> coefficient{};  // [z + 1][y + 1][x + 1]
    double sum = 0, diagonal = 0;
  };
  Equation equation(const Index3& at, std::int64_t row, int r) const {
    Equation e;
    for (std::int64_t d = 0; d < whole_.diagonals(); ++d) {
      const double value = a_[(d * whole_.dof + r) * rows_ + row];
      const NodeOffset& o = whole_.offsets[d];
      const int x = is_between(at, 0) ? o.x : 0, y = is_between(at, 1) ? o.y : 0,
                z = is_between(at, 2) ? o.z : 0;
      e.coefficient[(z + 1) * 9 + (y + 1) * 3 + x + 1] += value;
      e.sum += value;
      if (o == NodeOffset{}) e.diagonal = value;
    }
    return e;
  }

  void interpolate(const Index3& at, std::int64_t node, int r) {
    const std::int64_t row = node * whole_.dof + r;
    if (stands_alone(row, r)) return;
    if (!is_between(at, 0) && !is_between(at, 1) && !is_between(at, 2)) {
      weight(0, row) = 1;
      return;
    }
    const Equation e = equation(at, row, r);
    // The centre's coefficient, from the sum, which is exactly zero where rounding is all there is of it.
    double centre = std::abs(e.sum) > 1e-13 * std::abs(e.diagonal) ? e.sum : 0;
    for (int o = 0; o < 27; ++o)
      if (o != 13) centre -= e.coefficient[o];
    if (!(centre > 1e-12 * std::abs(e.diagonal)) || !std::isfinite(centre))
      return without_equation(at, row, r);
    for (int o = 0; o < 27; ++o)
      if (o != 13 && e.coefficient[o] != 0)
        add_neighbour(at, row, r, {o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1}, -e.coefficient[o] / centre);
  }

  // weights of the row += share * those of its neighbour.
  void add_neighbour(const Index3& at, std::int64_t row, int r, const Index3& offset, double share) {
    Index3 to;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = whole_.extents[axis];
      to[axis] = (at[axis] + offset[axis] + n) % n;
    }
    Index3 here = to;
    here[axis_] = place_[to[axis_]];
    const Index3& n = whole_.extents;
    const std::int64_t from = ((here[2] * n[1] + here[1]) * n[0] + here[0]) * whole_.dof + r;
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

  // Whether the row couples with no other node.
  bool stands_alone(std::int64_t row, int r) const {
    for (std::int64_t d = 0; d < whole_.diagonals(); ++d)
      if (whole_.offsets[d] != NodeOffset{} && a_[(d * whole_.dof + r) * rows_ + row] != 0) return false;
    return true;
  }

  double linear_weight(const Index3& at, int corner) const {
    double product = 1;
    for (int axis = 0; axis < 3; ++axis) product *= axes_[axis].weight[2 * at[axis] + (corner >> axis & 1)];
    return product;
  }

  // The row, in these planes, of the coarse node at a corner.
  std::int64_t row_of_corner(const Index3& at, int corner, int r) const {
    Index3 here;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int32_t coarse = axes_[axis].node[2 * at[axis] + (corner >> axis & 1)];
      here[axis] = axes_[axis].fine > 1 ? first_[axis] + 2 * coarse : at[axis];
    }
    here[axis_] = place_[here[axis_]];
    const Index3& n = whole_.extents;
    return ((here[2] * n[1] + here[1]) * n[0] + here[0]) * whole_.dof + r;
  }

  void without_equation(const Index3& at, std::int64_t row, int r) {
    for (int corner = 0; corner < corners_; ++corner)
      if (linear_weight(at, corner) != 0 && stands_alone(row_of_corner(at, corner, r), r)) {
        weight(corner, row) = 1;
        return;
      }
    keep_linear(at, row);
  }

  void keep_linear(const Index3& at, std::int64_t row) {
    for (int corner = 0; corner < corners_; ++corner) weight(corner, row) = linear_weight(at, corner);
  }

  const BlockStructure& whole_;
  const int axis_;
  const std::vector<std::int32_t>& planes_;
  std::vector<std::int32_t> place_;  // [plane of the grid] which of ours it is, or -1
  const Array<double>& a_;
  const std::array<AxisInterpolation, 3>& axes_;
  const int corners_;
  const std::int64_t plane_nodes_, rows_;
  Array<double> values_;
  Index3 first_{};
};

}  // namespace

Array<double> operator_weights(const BlockDiagonals<double>& a,
                               const std::array<AxisInterpolation, 3>& axes) {
  check(a, axes);
  std::vector<std::int32_t> planes(static_cast<std::size_t>(a.extents[2]));
  std::iota(planes.begin(), planes.end(), 0);
  return Weights({a, 2, std::move(planes), a.values}, axes)();
}

Array<double> operator_weights(const OperatorPlanes& a, const std::array<AxisInterpolation, 3>& axes,
                               std::int64_t first, std::int64_t count) {
  check(a.whole, axes);
  const std::int64_t of_plane = a.whole.nodes() / a.whole.extents[a.axis] * a.whole.dof,
                     rows = static_cast<std::int64_t>(a.planes.size()) * of_plane;
  const Array<double> all = Weights(a, axes)();
  const AxisInterpolation& z = axes[2];
  bool flat = a.whole.extents[2] == 1 || count == 0;
  if (a.axis == 2 && count == 1) {
    const std::int64_t plane = a.planes[static_cast<std::size_t>(first)];
    flat = flat || z.node[2 * plane] == z.node[2 * plane + 1];
  }
  const int corners = flat ? 4 : 8;
  Array<double> own(corners * count * of_plane);
  for (int corner = 0; corner < corners; ++corner)
    std::copy_n(all.data() + corner * rows + first * of_plane, count * of_plane,
                own.data() + corner * count * of_plane);
  return own;
}

}  // namespace quadrille
