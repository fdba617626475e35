// The residuals of the tests, for host and GPU.
#pragma once

#include <cmath>

#include "assembly/residual.hpp"

namespace quadrille {

// Two unknowns with everything that a residual may have: products, functions, slopes, diagonal neighbours, a
// rate with a coefficient, a conductivity, position and time.
struct Everything {
  double d = 0.3;
  constexpr double conductivity(const StencilNode&, int, int unknown) const { return 1 + unknown; }
  constexpr auto operator()(const auto& u, int r) const {
    using std::exp;
    const auto reaction = u(0) * u(1) * u(1) + exp(-u(r));
    const auto mixed = u.at(1, 1, 0, r) - u.at(-1, -1, 0, 1 - r);
    return (1 + u(0) * u(0)) * u.rate(r) - d * u.laplacian(r) + u(1 - r) * u.slope(0, r) +
           reaction / (2 + u(1)) + 0.1 * mixed * u.x(1) - u.time_s();
  }
};

struct Diffusing {
  double d = 1;
  constexpr auto operator()(const auto& u, int r) const { return u.rate(r) - d * u.laplacian(r); }
};

// The same with what it may say of itself, rightly where there are no other terms.
template <bool symmetric_>
struct Saying {
  static constexpr bool linear = true, symmetric = symmetric_;
  double d = 1, square = 0, in_time = 0, advection = 0;
  constexpr auto operator()(const auto& u, int r) const {
    return u.rate(r) - d * u.laplacian(r) + square * u(r) * u(r) + in_time * u.time_s() * u(r) +
           advection * u.slope(0, r);
  }
};

// The same of unknowns that do not couple, with numbers that are the same at all nodes.
struct Spreading {
  static constexpr bool linear = true, symmetric = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr auto operator()(const auto& u, int r) const { return u.rate(r) - u.laplacian(r); }
};

// Coupled unknowns with the same coefficients at all nodes, but for `varies`; `corner` asks for a diagonal
// neighbour.
template <bool says>
struct Even {
  static constexpr bool linear = true, uniform = says;
  double corner = 0, varies = 0;
  constexpr auto operator()(const auto& u, int r) const {
    const auto other = 1 + r - 2 * (r % 2), last = u.grid().dof - 1;
    const auto here = u.rate(r) - (1 + 0.3 * r) * u.laplacian(r) + 0.7 * u(other > last ? last : other);
    return here + 0.2 * u.slope(1, last - r) + corner * u.at(1, -1, 0, last - r) +
           varies * u.x(0) * u.at(-1, 0, 0, r);
  }
};

// lap u + lambda e^u = 0 on the unit square, u = 0 around it: no solution for lambda above 6.80812.
struct Bratu {
  double lambda;
  constexpr auto operator()(const auto& u, int r) const {
    using std::exp;
    return -u.laplacian(r) - lambda * exp(u(r));
  }
};

// Its derivative at u = 0 is infinite.
struct Rooting {
  constexpr auto operator()(const auto& u, int r) const {
    using std::sqrt;
    return sqrt(u(r)) - u.laplacian(r) - 1.0;
  }
};

// Two unknowns of which the second is spread by itself, and fed by the first at the node alone.
template <bool says>
struct Fed {
  double beside = 0;
  static constexpr bool couples(bool centre, int r, int c) requires says {
    return r == c || (centre && r == 1);
  }
  constexpr auto operator()(const auto& u, int r) const {
    const auto other = beside * u.at(1, 0, 0, 1 - r);
    return u.rate(r) - u.laplacian(r) - double(r) * u(0) * u(1) + other;
  }
};

// Of the functors above; in a build with CUDA evaluated where the products are.
template <class Residual>
AnyResidual on_both(const Residual& residual, int dof);

}  // namespace quadrille
