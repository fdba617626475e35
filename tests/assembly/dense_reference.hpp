// A second opinion on assembly: loops over nodes and points, boundaries resolved from their description word
// by word, everything added into a dense matrix. Shares only grid and boundary descriptions with the code
// under test.
#pragma once

#include <array>
#include <set>
#include <tuple>
#include <vector>

#include "assembly/stencil_operator.hpp"

namespace quadrille::reference {

struct Dense {
  std::int64_t rows = 0;
  std::vector<double> a;                                               // [row][column]
  std::vector<double> rhs;                                             // [row]
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> zyx;  // offsets that occur

  explicit Dense(std::int64_t n) : rows(n), a(n * n), rhs(n) {}
  double& at(std::int64_t row, std::int64_t column) { return a[row * rows + column]; }
};

// What stands at the place p: weight * (x of a node) + constant. The functor is told the same as by the code
// under test.
struct Standing {
  Neighbour neighbour;
  double weight = 1, constant = 0;
};

// `conductivity(axis)` is that of the node whose row it is.
template <class Conductivity>
Standing resolve(const Grid& grid, const Boundary& boundary, std::array<std::int64_t, 3> p, int unknown,
                 const Conductivity& conductivity) {
  std::array<int, 3> beyond{-1, -1, -1};  // the face
  for (int axis = 0; axis < 3; ++axis) {
    if (p[axis] < 0) beyond[axis] = 2 * axis;
    if (p[axis] >= grid.extents[axis]) beyond[axis] = 2 * axis + 1;
  }
  const auto kind = [&](int face) { return boundary.of(unknown)[face].kind; };
  const auto datum = [&](int face) {
    return boundary.data[face] ? boundary.data[face]({p[0], p[1], p[2]}, unknown)
                               : boundary.of(unknown)[face].value;
  };
  for (const int face : beyond)
    if (face >= 0 && kind(face) == BoundaryKind::drop) return {};
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t n = grid.extents[axis];
    if (beyond[axis] < 0 || kind(beyond[axis]) != BoundaryKind::periodic) continue;
    while (p[axis] < 0) p[axis] += n;
    while (p[axis] >= n) p[axis] -= n;
  }
  for (const int face : beyond)
    if (face >= 0 && kind(face) == BoundaryKind::value)
      return {{Neighbour::Kind::constant, {}, face, {}}, 0, datum(face)};
  Standing result{{Neighbour::Kind::node, {}, -1, {}}, 1, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const int face = beyond[axis];
    if (face < 0 || kind(face) == BoundaryKind::periodic) continue;
    const std::int64_t last = face % 2 == 0 ? 0 : grid.extents[axis] - 1, step = face % 2 == 0 ? -1 : 1;
    const std::int64_t steps = (p[axis] - last) * step;
    const double a = conductivity(axis), h = grid.spacing_m[axis];
    if (kind(face) == BoundaryKind::flux || kind(face) == BoundaryKind::robin) {
      result.neighbour.beyond[axis] = static_cast<std::int8_t>(p[axis] - last);
      p[axis] = last + step;
      if (a != 0 && kind(face) == BoundaryKind::flux) {  // a (ghost - u)/h = X, and on in a line
        result.constant += result.weight * static_cast<double>(steps) * h * datum(face) / a;
      } else if (a != 0) {  // A (u + ghost)/2 + B a (ghost - u)/h = C
        const FaceBoundary& f = boundary.of(unknown)[face];
        const double of_ghost = f.a / 2 + f.b * a / h, of_u = f.a / 2 - f.b * a / h;
        const double weight = -of_u / of_ghost, constant = datum(face) / of_ghost;
        result.constant += result.weight * static_cast<double>(steps) * constant;
        result.weight *= 1 + static_cast<double>(steps) * (weight - 1);
      }
    }
    p[axis] = last;
  }
  result.neighbour.position = {p[0], p[1], p[2]};
  return result;
}

// The representative of j - i in (-n/2, n/2] on a periodic axis.
inline std::int64_t difference(std::int64_t i, std::int64_t j, std::int64_t n, bool periodic) {
  std::int64_t d = j - i;
  while (periodic && 2 * d > n) d -= n;
  while (periodic && 2 * d <= -n) d += n;
  return d;
}

template <class Coefficient>
Dense assemble_dense(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                     const Coefficient& coefficient) {
  Dense dense(grid.rows());
  std::int64_t node = 0;
  for (std::int64_t z = 0; z < grid.extents[2]; ++z)
    for (std::int64_t y = 0; y < grid.extents[1]; ++y)
      for (std::int64_t x = 0; x < grid.extents[0]; ++x, ++node)
        for (std::size_t point = 0; point < stencil.offsets.size(); ++point) {
          const Offset o = stencil.offsets[point];
          const StencilNode at{node, {x, y, z}};
          for (int c = 0; c < grid.dof; ++c) {
            const Standing to = resolve(grid, boundary, {x + o.x, y + o.y, z + o.z}, c,
                                        [&](int axis) { return conductivity(coefficient, at, axis, c); });
            if (to.neighbour.kind == Neighbour::Kind::nothing) continue;
            const bool is_node = to.neighbour.kind == Neighbour::Kind::node;
            const Position q = to.neighbour.position;
            const std::int64_t other = is_node ? (q.z * grid.extents[1] + q.y) * grid.extents[0] + q.x : -1;
            if (is_node)
              dense.zyx.insert({difference(z, q.z, grid.extents[2], boundary.periodic(2)),
                                difference(y, q.y, grid.extents[1], boundary.periodic(1)),
                                difference(x, q.x, grid.extents[0], boundary.periodic(0))});
            for (int r = 0; r < grid.dof; ++r) {
              const double value =
                  coefficient(at, StencilNeighbour{int(point), o, to.neighbour, other}, r, c);
              if (is_node) dense.at(node * grid.dof + r, other * grid.dof + c) += value * to.weight;
              dense.rhs[node * grid.dof + r] -= value * to.constant;
            }
          }
        }
  return dense;
}

// The hub as a dense matrix. `stray` counts values other than zero where there is no neighbour.
template <class T>
Dense dense_of(const BlockDiagonals<T>& hub, std::int64_t* stray = nullptr) {
  Dense dense(hub.rows());
  const std::int64_t rows = hub.rows(), dof = hub.dof;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t node = row / dof, x = node % hub.extents[0], line = node / hub.extents[0];
      const std::int64_t other =
          hub.neighbour(x, line % hub.extents[1], line / hub.extents[1], hub.offsets[d]);
      for (std::int64_t c = 0; c < dof; ++c) {
        const double value = hub.values[(d * dof + c) * rows + row];
        if (other >= 0)
          dense.at(row, other * dof + c) += value;
        else if (stray && !(value == 0))
          ++*stray;
      }
    }
  return dense;
}

// y = A x for the hub, in double.
template <class T>
std::vector<double> apply(const BlockDiagonals<T>& hub, const std::vector<double>& x) {
  std::vector<double> y(hub.rows(), 0.0);
  const std::int64_t rows = hub.rows(), dof = hub.dof;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (std::int64_t node = 0; node < hub.nodes(); ++node) {
      const std::int64_t line = node / hub.extents[0];
      const std::int64_t other =
          hub.neighbour(node % hub.extents[0], line % hub.extents[1], line / hub.extents[1], hub.offsets[d]);
      if (other < 0) continue;
      for (std::int64_t c = 0; c < dof; ++c)
        for (std::int64_t r = 0; r < dof; ++r)
          y[node * dof + r] += hub.values[(d * dof + c) * rows + node * dof + r] * x[other * dof + c];
    }
  return y;
}

}  // namespace quadrille::reference
