// Linear elasticity of a homogeneous isotropic body, small strains (plane strain in 2D):
//
//   -(mu lap u + (lambda + mu) grad div u) = f        u: displacement in m, one unknown per axis
//                                                     f: force in N/m^3
//
// lambda and mu are Lame's constants in Pa, coefficients are in Pa/m^2. Sign: positive diagonal. Central
// differences of second order on the box of radius 1: [1 -2 1]/h^2 on the axes, and for the cross derivative
// d2/(dr dc) the four points diagonally off in the plane of r and c, with +-1/(4 h_r h_c). The points off
// along all three axes are stored zeros. Source: Navier's equation, Landau and Lifshitz, Theory of
// Elasticity, section 7.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "assembly/node_window.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/parameter.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation elasticity_stencils{
    .star = 0, .box = 1, .unknown_per_axis = true, .coupled = true};

// Lame's constants.
inline constexpr PdeParameter lame_lambda_pa{
    .name = "lambda", .usual = 1, .units = "Pa", .about = "Lame's first", .varies = true},
    lame_mu_pa{.name = "mu",
               .usual = 1,
               .units = "Pa",
               .about = "Lame's second, the shear modulus",
               .least = 0,
               .above_least = true,
               .varies = true};
// Why no body has these, in a sentence; empty where one has.
std::string why_not_lame(double lambda_pa, double mu_pa);
// Throws InputError where some node of a body has such.
void require_lame(const std::string& who, std::span<const double> lambda_pa, std::span<const double> mu_pa);

// The residual, without f: row r of -(mu lap u + (lambda + mu) grad div u).
struct ElasticForces {
  double lambda_pa, mu_pa;

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool has_constants() { return true; }
  constexpr auto operator()(const auto& u, int r) const {
    auto sum = -(mu_pa * u.laplacian(r));
    for (int c = 0; c < u.grid().dimension; ++c)
      sum -= (lambda_pa + mu_pa) * (c == r ? u.curvature(r, r) : u.mixed(r, c, c));
    return sum;
  }
};

// Numbers at the nodes, [place in the window], or one for all.
struct FieldOrNumber {
  const double* field = nullptr;
  double number = 0;
};

// The same of a body whose moduli are given at the nodes: row r of -div(lambda div u + mu (grad u + grad
// u^T)). Its rows are the derivatives of an energy, and so symmetric,
//
//   sum over faces between nodes of   a (du_r)^2 / 2      a: lambda + 2 mu for u_r along r, mu across
// + sum over nodes of   lambda (D_r u_r) (D_c u_c) + mu (D_c u_r) (D_r u_c)      for each two axes r and c
//
// with the mean of the moduli of both nodes on a face, and central differences D at a node. The energy is
// positive because (D u)^2 is at most the mean of (du)^2 on the two sides (a harmonic mean would not do).
//
// with_free: the body ends at the faces that `free` says, half a spacing beyond the last node. Nothing there
// is asked for: D is the difference to the node inwards, and the last node counts for twice the half that the
// face before it has of it, which keeps the energy positive. What tractions do is no part of this.
template <bool with_free>
struct ElasticForcesOfFields {
  // Of a body that ends nowhere one number for all is ElasticForces.
  using Modulus = std::conditional_t<with_free, FieldOrNumber, const double*>;
  Modulus lambda_pa{}, mu_pa{};   // [place in the window]
  std::array<double, 3> per_h{};  // 1/m
  NodeWindow window{};            // of the fields
  std::array<bool, 6> free{};     // x-, x+, ...

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool has_constants() { return true; }  // zeros, if no others
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    const double mu = beside(node, mu_pa);
    return axis == unknown ? 2 * mu + beside(node, lambda_pa) : mu;
  }
  constexpr auto operator()(const auto& u, int r) const {
    auto sum = 0 * u(r);
    for (int c = 0; c < u.grid().dimension; ++c) {
      for (int step = -1; step <= 1; step += 2) {
        if (!ends(u, c, 0, step)) sum -= through_face(u, r, c, step);
        for (int other = -1; other <= 1 && c != r; other += 2) sum += at_corner(u, r, c, other, step);
      }
      if constexpr (with_free)
        if (c != r && (is_near_end(u, r) || is_near_end(u, c)))
          for (int other = -1; other <= 1; ++other)
            for (int step = -1; step <= 1; ++step)
              if (other == 0 || step == 0) sum += at_corner(u, r, c, other, step);
    }
    return sum;
  }

 private:
  static constexpr int along(int axis, int of, int step) { return axis == of ? step : 0; }
  // A modulus at the neighbour along an axis.
  static constexpr double beside(const auto& u, const double* modulus, int axis, int step) {
    return u.field(modulus, along(0, axis, step), along(1, axis, step), along(2, axis, step));
  }
  static constexpr double beside(const auto& u, const FieldOrNumber& modulus, int axis, int step) {
    return modulus.field == nullptr ? modulus.number : beside(u, modulus.field, axis, step);
  }
  constexpr double beside(const StencilNode& node, const double* modulus) const {
    return modulus[window.place(node.position)];
  }
  constexpr double beside(const StencilNode& node, const FieldOrNumber& modulus) const {
    return modulus.field == nullptr ? modulus.number : beside(node, modulus.field);
  }
  // Whether the node so many further along an axis is the last one before a free face in that direction, or
  // beyond it.
  constexpr bool ends(const auto& u, int axis, int further, int direction) const {
    if constexpr (!with_free) return false;
    if (!free[2 * axis + (direction > 0 ? 1 : 0)]) return false;
    const std::int64_t at = place(u, axis) + further;
    return direction > 0 ? at >= u.grid().extents[axis] - 1 : at <= 0;
  }
  constexpr bool is_near_end(const auto& u, int axis) const {
    return ends(u, axis, -1, -1) || ends(u, axis, 1, 1);
  }
  static constexpr std::int64_t place(const auto& u, int axis) {
    const auto& at = u.position();
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
  }
  // With what weight the node `further` along an axis has the one `step` from it in its difference D, of h D.
  constexpr double weight(const auto& u, int axis, int further, int step) const {
    if constexpr (!with_free) return 0.5 * step;
    const std::int64_t at = place(u, axis) + further;
    const bool low = ends(u, axis, further, -1), high = ends(u, axis, further, 1);
    if (!low && !high) return 0.5 * step;
    const bool outside = (low && at < 0) || (high && at >= u.grid().extents[axis]);
    if (outside || (low && high)) return 0;  // no node of the body, or the only one
    if (low) return step < 0 ? 0 : step == 0 ? -1 : 1;
    return step > 0 ? 0 : step == 0 ? 1 : -1;
  }
  constexpr double stiffness(const auto& u, bool normal, int axis, int step) const {
    const double mu = beside(u, mu_pa, axis, step);
    return normal ? 2 * mu + beside(u, lambda_pa, axis, step) : mu;
  }
  // Of u_r, along axis c.
  constexpr auto through_face(const auto& u, int r, int c, int step) const {
    return u.exchange(along(0, c, step), along(1, c, step), along(2, c, step), r, [&] {
      const double own = stiffness(u, c == r, c, 0), theirs = stiffness(u, c == r, c, step);
      double both = own + theirs;
      if constexpr (with_free)
        both += (ends(u, c, 0, -step) ? own : 0) + (ends(u, c, step, step) ? theirs : 0);
      return both / 2 * (per_h[c] * per_h[c]);
    });
  }
  // Of u_c, so many nodes off along r and c.
  constexpr auto at_corner(const auto& u, int r, int c, int step_r, int step_c) const {
    return u.weighted(
        along(0, r, step_r) + along(0, c, step_c), along(1, r, step_r) + along(1, c, step_c),
        along(2, r, step_r) + along(2, c, step_c), c, [&] {
          const double by_lambda = weight(u, r, step_r, -step_r) * weight(u, c, 0, step_c),
                       by_mu = weight(u, c, step_c, -step_c) * weight(u, r, 0, step_r);
          return (by_lambda * beside(u, lambda_pa, r, step_r) + by_mu * beside(u, mu_pa, c, step_c)) *
                 (per_h[r] * per_h[c]);
        });
  }
};
using ElasticForcesThroughFields = ElasticForcesOfFields<false>;
using ElasticForcesWithFreeFaces = ElasticForcesOfFields<true>;

// Its derivatives, which are the same at all nodes: taken once.
struct Elasticity {
  std::array<std::array<double, 9>, 27> weight{};  // [point][r*3 + c], Pa/m^2
  double lambda_pa = 0, mu_pa = 0;

  static constexpr bool has_constants() { return true; }
  constexpr double conductivity(const StencilNode&, int axis, int unknown) const {
    return axis == unknown ? lambda_pa + 2 * mu_pa : mu_pa;
  }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    return weight[neighbour.point][r * 3 + c];
  }
};

// Throws InputError for other stencils and DoF than these, and unless mu > 0 and lambda + mu >= 0.
Elasticity elasticity(const Grid& grid, const Stencil& stencil, double lambda_pa = lame_lambda_pa.usual,
                      double mu_pa = lame_mu_pa.usual);

}  // namespace quadrille
