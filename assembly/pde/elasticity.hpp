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

// The same of a body whose moduli are given at the nodes: row r of -div(lambda div u + mu (grad u + grad u^T)).
// Across the face between two nodes they are the mean of theirs, and in cross derivatives those of the nodes
// beside: the operator is symmetric, and positive because the stiffness of faces is no less than that of the
// central differences which the cross derivatives are of (a harmonic mean would not do).
struct ElasticForcesThroughFields {
  const double *lambda_pa = nullptr, *mu_pa = nullptr;  // [place in the window]
  std::array<double, 3> per_h{};                        // 1/m
  std::int64_t places = 0;                              // of the window

  static constexpr bool linear = true, symmetric = true;
  constexpr auto operator()(const auto& u, int r) const {
    auto sum = 0 * u(r);
    for (int c = 0; c < u.grid().dimension; ++c) {
      for (int step = -1; step <= 1; step += 2) {
        sum -= through_face(u, r, c, step);
        for (int other = -1; other <= 1 && c != r; other += 2) sum -= at_corner(u, r, c, other, step);
      }
    }
    return sum;
  }

 private:
  static constexpr int along(int axis, int of, int step) { return axis == of ? step : 0; }
  // A modulus at the neighbour along an axis.
  static constexpr double beside(const auto& u, const double* modulus, int axis, int step) {
    return u.field(modulus, along(0, axis, step), along(1, axis, step), along(2, axis, step));
  }
  // Of u_r, along axis c.
  constexpr auto through_face(const auto& u, int r, int c, int step) const {
    return u.exchange(along(0, c, step), along(1, c, step), along(2, c, step), r, [&] {
      const double mu = (u.field(mu_pa) + beside(u, mu_pa, c, step)) / 2,
                   stiffness =
                       c == r ? 2 * mu + (u.field(lambda_pa) + beside(u, lambda_pa, c, step)) / 2 : mu;
      return stiffness * (per_h[c] * per_h[c]);
    });
  }
  // Of u_c, diagonally off in the plane of r and c.
  constexpr auto at_corner(const auto& u, int r, int c, int step_r, int step_c) const {
    return u.weighted(along(0, r, step_r) + along(0, c, step_c), along(1, r, step_r) + along(1, c, step_c),
                      along(2, r, step_r) + along(2, c, step_c), c, [&] {
                        const double weight = beside(u, lambda_pa, r, step_r) + beside(u, mu_pa, c, step_c);
                        return step_r * step_c * (weight * (per_h[r] * per_h[c] / 4));
                      });
  }
};

// Its derivatives, which are the same at all nodes: taken once.
struct Elasticity {
  std::array<std::array<double, 9>, 27> weight{};  // [point][r*3 + c], Pa/m^2

  static constexpr bool has_constants() { return true; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    return weight[neighbour.point][r * 3 + c];
  }
};

// Throws InputError for other stencils and DoF than these, and unless mu > 0 and lambda + mu >= 0.
Elasticity elasticity(const Grid& grid, const Stencil& stencil, double lambda_pa = lame_lambda_pa.usual,
                      double mu_pa = lame_mu_pa.usual);

}  // namespace quadrille
