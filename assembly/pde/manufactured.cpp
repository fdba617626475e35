#include "assembly/pde/manufactured.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "assembly/pde/problem.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using Values = std::array<double, 3>;  // g, g' and g'' by s

// What g does at an end: it is 0, or its slope is, or neither.
enum class End { zero, level, free };

End end_of(const FaceBoundary& face) {
  if (holds_value(face)) return End::zero;
  return face.kind == BoundaryKind::flux || face.kind == BoundaryKind::robin ? End::free : End::level;
}

Values between_values(double s) {
  const double e = std::exp(s);
  return {(s - s * s) * e, (1 - s - s * s) * e, -(3 * s + s * s) * e};
}

Values from_value_to_clamp(double s) {
  const double e = std::exp(-s);
  return {s * e, (1 - s) * e, (s - 2) * e};
}

Values from_value_to_flux(double s) {
  const double e = std::exp(s - 1);
  return {s * e, (1 + s) * e, (2 + s) * e};
}

Values between_clamps(double s) {
  const double p = s - s * s;
  return {16 * p * p, 32 * p * (1 - 2 * s), 32 * ((1 - 2 * s) * (1 - 2 * s) - 2 * p)};
}

Values from_clamp_to_flux(double s) {
  const double e = std::exp(-s);
  return {s * s * e, (2 * s - s * s) * e, (2 - 4 * s + s * s) * e};
}

Values between_fluxes(double s) {
  const double e = std::exp(-s);
  return {(2 + s * s) * e, (2 * s - 2 - s * s) * e, (s - 2) * (s - 2) * e};
}

Values around(double s) {
  const double t = 2 * std::numbers::pi, sine = std::sin(t * s), cosine = std::cos(t * s), e = std::exp(sine);
  return {e, t * cosine * e, t * t * (cosine * cosine - sine) * e};
}

Values between(End low, End high, double s) {
  if (low > high) {
    const Values mirrored = between(high, low, 1 - s);
    return {mirrored[0], -mirrored[1], mirrored[2]};
  }
  if (low == End::zero)
    return high == End::zero    ? between_values(s)
           : high == End::level ? from_value_to_clamp(s)
                                : from_value_to_flux(s);
  if (low == End::free) return between_fluxes(s);
  return high == End::level ? between_clamps(s) : from_clamp_to_flux(s);
}

// The distance from the face to the node next to it, in spacings.
double gap(const FaceBoundary& face) {
  return face.kind == BoundaryKind::periodic ? 0 : holds_value(face) ? 1 : 0.5;
}

double constant_of(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value ? face.value : 0;
}

std::array<std::int64_t, 3> coordinates(const Position& p) {
  return {p.x, p.y, p.z};
}

}  // namespace

Manufactured::Values Manufactured::Axis::values(double s) const {
  const bool periodic = low.kind == BoundaryKind::periodic;
  const std::array<double, 3> g = periodic ? around(s) : between(end_of(low), end_of(high), s);
  return {g[0], g[1] / length_m, g[2] / (length_m * length_m)};
}

Manufactured::Manufactured(const Grid& grid, const Boundary& boundary) : grid_(grid), boundary_(boundary) {
  validate(boundary, grid);
  for (std::size_t r = 0; r < std::max<std::size_t>(1, boundary.of_unknown.size()); ++r)
    profiles_.push_back(profile(boundary.of(static_cast<int>(r))));
}

Manufactured::Profile Manufactured::profile(const Faces& faces) const {
  Profile result;
  bool first = true;
  int axes_with_values = 0;
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    const FaceBoundary &low = faces[2 * axis], &high = faces[2 * axis + 1];
    const std::int64_t nodes = grid_.extents[axis];
    Axis& a = result.axes[axis];
    a.low = low, a.high = high, a.first = gap(low);
    a.intervals =
        static_cast<double>(low.kind == BoundaryKind::periodic ? nodes : nodes - 1) + gap(low) + gap(high);
    a.length_m = a.intervals * grid_.spacing_m[axis];
    for (std::int64_t i = 0; i < nodes; ++i) a.g.push_back(a.values(a.fraction(i)));
    if (!holds_value(low) && !holds_value(high)) continue;
    ++axes_with_values;
    const double from = constant_of(holds_value(low) ? low : high),
                 to = constant_of(holds_value(high) ? high : low);
    const bool differs = !first && (from != result.constant || to != result.constant);
    if (differs || (axes_with_values > 1 && result.rise != 0))
      throw InputError("boundary '" + to_string(boundary_, grid_.dimension) +
                       "': no smooth solution has different constants on the faces of different axes");
    first = false;
    result.constant = from;
    result.rise = to - from;
    result.rise_axis = axis;
  }
  return result;
}

std::array<double, 3> Manufactured::fraction(const Position& p) const {
  std::array<double, 3> result{};
  for (int axis = 0; axis < grid_.dimension; ++axis)
    result[axis] = of(0).axes[axis].fraction(coordinates(p)[axis]);
  return result;
}

Manufactured::Jet Manufactured::at(const Position& p, int r) const {
  const Profile& profile = of(r);
  std::array<Values, 3> g{};
  Place s{};
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    const std::int64_t node = coordinates(p)[axis];
    g[axis] = profile.axes[axis].g[static_cast<std::size_t>(node)];
    s[axis] = profile.axes[axis].fraction(node);
  }
  return jet(profile, g, s, r);
}

Manufactured::Jet Manufactured::jet(const Profile& profile, const std::array<Values, 3>& g, const Place& s,
                                    int r) const {
  // Slopes and curvatures have the derivative of one axis in the place of its value.
  Jet jet;
  jet.u = 1.0 + r;
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    jet.slope[axis] = jet.curvature[axis] = 1.0 + r;
    for (int other = 0; other < grid_.dimension; ++other) {
      jet.slope[axis] *= g[other][other == axis ? 1 : 0];
      jet.curvature[axis] *= g[other][other == axis ? 2 : 0];
    }
    jet.u *= g[axis][0];
  }
  for (int without = 0; without < 3; ++without) {
    if (grid_.dimension == 2 && without != 2) continue;
    jet.mixed[without] = 1.0 + r;
    for (int axis = 0; axis < grid_.dimension; ++axis) jet.mixed[without] *= g[axis][axis == without ? 0 : 1];
  }
  jet.u += profile.constant;
  if (profile.rise != 0) {
    jet.u += profile.rise * s[profile.rise_axis];
    jet.slope[profile.rise_axis] += profile.rise / profile.axes[profile.rise_axis].length_m;
  }
  return jet;
}

double Manufactured::datum(int face, const Position& beyond, int r, const Flux& flux) const {
  const FaceBoundary& kind = boundary_.of(r)[face];
  if (kind.kind == BoundaryKind::value) return kind.value;
  const int normal = face / 2;
  const auto fraction_of = [&](const Profile& profile, int axis) {
    return axis == normal ? face % 2 : profile.axes[axis].fraction(coordinates(beyond)[axis]);
  };
  const std::function<Jet(int)> at = [&](int unknown) {
    const Profile& profile = of(unknown);
    std::array<Values, 3> g{};
    Place s{};
    for (int axis = 0; axis < grid_.dimension; ++axis) {
      s[axis] = fraction_of(profile, axis);
      g[axis] = profile.axes[axis].values(s[axis]);
    }
    return jet(profile, g, s, unknown);
  };
  Place of_first{};
  for (int axis = 0; axis < grid_.dimension; ++axis) {
    const Axis &here = of(r).axes[axis], &first = of(0).axes[axis];
    of_first[axis] = (fraction_of(of(r), axis) * here.intervals - here.first + first.first) / first.intervals;
  }
  return kind.a * at(r).u + kind.b * flux(at, of_first, normal, face % 2 == 0 ? -1 : 1, r);
}

Boundary Manufactured::with_fluxes(const Flux& flux) const {
  Boundary result = boundary_;
  result.data = {};
  for (int face = 0; face < 2 * grid_.dimension; ++face) {
    const auto free = [&](std::size_t r) {
      return end_of(boundary_.of(static_cast<int>(r))[face]) == End::free;
    };
    bool any = false;
    for (std::size_t r = 0; r < profiles_.size(); ++r) any = any || free(r);
    if (any)
      result.data[face] = [this, face, flux](const Position& beyond, int r) {
        return datum(face, beyond, r, flux);
      };
  }
  return result;
}

Boundary Manufactured::with_data(const Conductivity& conductivity) const {
  return with_fluxes([conductivity](const auto& at, const Place& fraction, int normal, int outwards, int r) {
    return outwards * conductivity(fraction, normal) * at(r).slope[normal];
  });
}

Boundary Manufactured::with_data() const {
  return with_data([](const std::array<double, 3>&, int) { return 1.0; });
}

std::function<std::vector<double>(double t_s)> fading(std::vector<double> at_first, double rate_1_s) {
  return [at_first = std::move(at_first), rate_1_s](double t_s) {
    std::vector<double> u = at_first;
    for (double& value : u) value *= std::exp(-rate_1_s * t_s);
    return u;
  };
}

void require_no_data(const Grid& grid, const Boundary& boundary, const std::string& who) {
  for (int r = 0; r < grid.dof; ++r)
    for (int face = 0; face < 2 * grid.dimension; ++face) {
      const FaceBoundary& here = boundary.of(r)[face];
      if (here.kind == BoundaryKind::flux || here.kind == BoundaryKind::robin || here.value != 0)
        throw InputError("the manufactured problem of " + who +
                         " takes faces of value:0, drop, periodic, clamp and outflow, not '" +
                         to_string(boundary, grid.dimension) + "'");
    }
}

std::vector<double> Manufactured::values(const NodeBox& box) const {
  std::vector<double> u = zeros(box.nodes() * grid_.dof);
  add_source(grid_, box, u, [&](const Position& p, int r) { return at(p, r).u; });
  return u;
}

}  // namespace quadrille
