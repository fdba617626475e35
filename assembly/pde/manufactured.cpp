#include "assembly/pde/manufactured.hpp"

#include <cmath>
#include <numbers>

#include "assembly/pde/problem.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using Values = std::array<double, 3>;  // g, g' and g'' by s

bool fixes(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value || face.kind == BoundaryKind::drop;
}

Values between_values(double s) {
  const double e = std::exp(s);
  return {(s - s * s) * e, (1 - s - s * s) * e, -(3 * s + s * s) * e};
}

Values from_value_to_clamp(double s) {
  const double e = std::exp(-s);
  return {s * e, (1 - s) * e, (s - 2) * e};
}

Values between_clamps(double s) {
  const double p = s - s * s;
  return {16 * p * p, 32 * p * (1 - 2 * s), 32 * ((1 - 2 * s) * (1 - 2 * s) - 2 * p)};
}

Values around(double s) {
  const double t = 2 * std::numbers::pi, sine = std::sin(t * s), cosine = std::cos(t * s), e = std::exp(sine);
  return {e, t * cosine * e, t * t * (cosine * cosine - sine) * e};
}

Values profile(const FaceBoundary& low, const FaceBoundary& high, double s) {
  if (low.kind == BoundaryKind::periodic) return around(s);
  if (fixes(low) && fixes(high)) return between_values(s);
  if (fixes(low)) return from_value_to_clamp(s);
  if (!fixes(high)) return between_clamps(s);
  const Values mirrored = from_value_to_clamp(1 - s);
  return {mirrored[0], -mirrored[1], mirrored[2]};
}

// The distance from the face to the node next to it, in spacings.
double gap(const FaceBoundary& face) {
  return fixes(face) ? 1 : 0.5;
}

double constant_of(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value ? face.value : 0;
}

}  // namespace

Manufactured::Manufactured(const Grid& grid, const Boundary& boundary) : grid_(grid) {
  validate(boundary, grid.dimension);
  bool first = true;
  int axes_with_values = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    const FaceBoundary &low = boundary.faces[2 * axis], &high = boundary.faces[2 * axis + 1];
    const bool periodic = low.kind == BoundaryKind::periodic;
    const auto nodes = static_cast<double>(grid.extents[axis]);
    const double intervals = periodic ? nodes : nodes - 1 + gap(low) + gap(high);
    Axis& a = axes_[axis];
    a.length_m = intervals * grid.spacing_m[axis];
    for (std::int64_t i = 0; i < grid.extents[axis]; ++i) {
      const double s = (static_cast<double>(i) + (periodic ? 0 : gap(low))) / intervals;
      const Values g = profile(low, high, s);
      a.fraction.push_back(s);
      a.g.push_back({g[0], g[1] / a.length_m, g[2] / (a.length_m * a.length_m)});
    }
    if (!fixes(low) && !fixes(high)) continue;
    ++axes_with_values;
    const double from = constant_of(fixes(low) ? low : high), to = constant_of(fixes(high) ? high : low);
    const bool differs = !first && (from != constant_ || to != constant_);
    if (differs || (axes_with_values > 1 && rise_ != 0))
      throw InputError("boundary '" + to_string(boundary, grid.dimension) +
                       "': no smooth solution has different constants on the faces of different axes");
    first = false;
    constant_ = from;
    rise_ = to - from;
    rise_axis_ = axis;
  }
}

std::array<double, 3> Manufactured::fraction(const Position& p) const {
  std::array<double, 3> result{};
  const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
  for (int axis = 0; axis < grid_.dimension; ++axis) result[axis] = axes_[axis].fraction[at[axis]];
  return result;
}

Manufactured::Jet Manufactured::at(const Position& p, int r) const {
  const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
  // product[0] of all values; slopes and curvatures have the derivative of one axis in its place
  Jet jet;
  jet.u = 1.0 + r;
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    jet.slope[axis] = jet.curvature[axis] = 1.0 + r;
    for (int other = 0; other < grid_.dimension; ++other) {
      const auto& g = axes_[other].g[at[other]];
      jet.slope[axis] *= g[other == axis ? 1 : 0];
      jet.curvature[axis] *= g[other == axis ? 2 : 0];
    }
    jet.u *= axes_[axis].g[at[axis]][0];
  }
  for (int without = 0; without < 3; ++without) {
    if (grid_.dimension == 2 && without != 2) continue;
    jet.mixed[without] = 1.0 + r;
    for (int axis = 0; axis < grid_.dimension; ++axis)
      jet.mixed[without] *= axes_[axis].g[at[axis]][axis == without ? 0 : 1];
  }
  jet.u += constant_;
  if (rise_ != 0) {
    jet.u += rise_ * axes_[rise_axis_].fraction[at[rise_axis_]];
    jet.slope[rise_axis_] += rise_ / axes_[rise_axis_].length_m;
  }
  return jet;
}

std::vector<double> Manufactured::values(const LineRange& lines) const {
  std::vector<double> u(static_cast<std::size_t>(lines.count * grid_.extents[0] * grid_.dof), 0.0);
  add_source(grid_, lines, u, [&](const Position& p, int r) { return at(p, r).u; });
  return u;
}

bool fixes_no_value(const Grid& grid, const Boundary& boundary) {
  for (int face = 0; face < 2 * grid.dimension; ++face)
    if (fixes(boundary.faces[face])) return false;
  return true;
}

double usual_source(const Grid& grid, const PdeInput& input, bool singular, std::int64_t node) {
  if (input.source) return (*input.source)[node];
  return singular && 2 * node_position(grid, node).x >= grid.extents[0] ? -1.0 : 1.0;
}

void add_usual_source(const Grid& grid, const LineRange& lines, const PdeInput& input, bool singular,
                      std::vector<double>& rhs) {
  add_source(grid, lines, rhs, [&](const Position& p, int) {
    return usual_source(grid, input, singular, node_index(grid, p));
  });
}

}  // namespace quadrille
