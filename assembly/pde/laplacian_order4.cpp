#include "assembly/pde/laplacian_order4.hpp"

#include <algorithm>

namespace quadrille {
namespace {

using Reflection = LaplacianOfOrder4::Reflection;
using Place = std::array<std::int64_t, 3>;

Position position(const Place& p) {
  return {p[0], p[1], p[2]};
}

Reflection reflection(const FaceBoundary& face) {
  return holds_value(face) ? Reflection::odd : continues(face) ? Reflection::even : Reflection::none;
}

// One face, one unknown: places count from the last node inwards.
struct FaceLine {
  const Grid& grid;
  const Boundary& boundary;
  const NodeSource& f;
  int face = 0, unknown = 0;

  int axis() const { return face / 2; }
  std::int64_t last() const { return face % 2 == 0 ? 0 : grid.extents[axis()] - 1; }
  int inwards() const { return face % 2 == 0 ? 1 : -1; }
  double h() const { return grid.spacing_m[axis()]; }

  double source(Place p, std::int64_t nodes_inside) const {
    p[axis()] = last() + inwards() * std::min(nodes_inside, grid.extents[axis()] - 1);
    return f(position(p), unknown);
  }

  double datum(Place p) const {
    for (int along = 0; along < grid.dimension; ++along)
      if (along != axis() && boundary.periodic(along))
        p[along] = (p[along] + grid.extents[along]) % grid.extents[along];
    p[axis()] = last() - inwards();
    return ghost::datum(boundary, face, position(p), unknown);
  }

  // The second derivatives of the data along the face, added; of points beyond the nodes next to it alone,
  // for functions need not be there for others. Of fewer than four along an axis, 0.
  double datum_along(const Place& p) const {
    double sum = 0;
    for (int along = 0; along < grid.dimension && boundary.data[face]; ++along) {
      const std::int64_t n = grid.extents[along];
      const bool wraps = boundary.periodic(along);
      if (along == axis() || (n < 4 && !wraps)) continue;
      const auto at = [&](std::int64_t nodes) {
        Place there = p;
        there[along] += nodes;
        return datum(there);
      };
      const double spacing = grid.spacing_m[along];
      const std::int64_t in = p[along] == 0 ? 1 : -1;
      sum += (!wraps && (p[along] == 0 || p[along] == n - 1)
                  ? 2 * at(0) - 5 * at(in) + 4 * at(2 * in) - at(3 * in)
                  : at(-1) - 2 * at(0) + at(1)) /
             (spacing * spacing);
    }
    return sum;
  }

  // f where the value is held, one spacing beyond the last node.
  double source_beyond(const Place& p) const { return 2 * source(p, 0) - source(p, 1); }

  // df/dn half a spacing beyond it.
  double source_slope(const Place& p) const {
    if (grid.extents[axis()] < 3) return (source(p, 0) - source(p, 1)) / h();
    return (2 * source(p, 0) - 3 * source(p, 1) + source(p, 2)) / h();
  }

  // What the row `layer` nodes inside of the last one has beside nodes of g_1 and g_2, of value and of flux.
  // X and q at g_1 are there already.
  double of_value(const Place& p, int layer, double outer) const {
    if (layer > 0) return 0;
    const FaceBoundary& here = boundary.of(unknown)[face];
    const double x = here.kind == BoundaryKind::drop ? 0 : datum(p);
    const double second = -source_beyond(p) - (here.kind == BoundaryKind::drop ? 0 : datum_along(p));
    return outer * (2 * x + h() * h() * second);
  }
  double of_flux(const Place& p, int layer, double outer) const {
    const bool has_datum = boundary.of(unknown)[face].kind == BoundaryKind::flux;
    const double q = has_datum ? datum(p) : 0;
    const double third = h() * h() * h() / 24 * (-source_slope(p) - (has_datum ? datum_along(p) : 0));
    return layer > 0 ? outer * third : outer * (3 * h() * q + 27 * third) - 16 * outer * third;
  }
};

}  // namespace

bool closes_with_order4(const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  bool closed = false;
  for (int axis = 0; axis < grid.dimension; ++axis) closed = closed || !boundary.periodic(axis);
  return closed && stencil.offsets == star_stencil(grid.dimension, 2).offsets;
}

std::string why_not_order4(const Grid& grid, const Boundary& boundary) {
  for (int face = 0; face < 2 * grid.dimension; ++face)
    for (int r = 0; r < grid.dof; ++r) {
      const FaceBoundary& here = boundary.of(r)[face];
      if (here.kind == BoundaryKind::robin)
        return "the star of radius 2 closes with order 4 at faces of value, drop, clamp, outflow, flux and "
               "periodic, not robin; use radius 1";
      if (reflection(here) != reflection(boundary.of(0)[face]))
        return "with the star of radius 2 a face holds a value of all unknowns of a node or of none; use "
               "radius 1";
    }
  return "";
}

LaplacianOfOrder4 laplacian_of_order4(const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  LaplacianOfOrder4 result{.inside = laplacian(grid, stencil), .extents = grid.extents};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    result.outer[axis] = 1 / (12 * grid.spacing_m[axis] * grid.spacing_m[axis]);
    for (const int face : {2 * axis, 2 * axis + 1}) result.at_face[face] = reflection(boundary.of(0)[face]);
  }
  return result;
}

void add_faces_of_order4(const LaplacianOfOrder4& coefficients, const Grid& grid, const Boundary& boundary,
                         const NodeSource& f, const NodeBox& box, std::vector<double>& rhs) {
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    const Reflection reflected = coefficients.at_face[face];
    if (reflected == Reflection::none) continue;
    const int axis = face / 2, layers = reflected == Reflection::even ? 2 : 1;
    const std::int64_t layer_of_last = face % 2 == 0 ? 0 : grid.extents[axis] - 1;
#pragma omp parallel for schedule(static)
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const NodePosition first = box.first_of_line(line);
      for (std::int64_t i = 0; i < box.size[0]; ++i) {
        const Place p{first[0] + i, first[1], first[2]};
        const std::int64_t layer = std::abs(p[axis] - layer_of_last);
        if (layer >= layers) continue;
        for (int r = 0; r < grid.dof; ++r) {
          const FaceLine of{grid, boundary, f, face, r};
          const int inside = static_cast<int>(layer);
          const double w = coefficients.outer[axis];
          rhs[(line * box.size[0] + i) * grid.dof + r] -=
              reflected == Reflection::odd ? of.of_value(p, inside, w) : of.of_flux(p, inside, w);
        }
      }
    }
  }
}

}  // namespace quadrille
