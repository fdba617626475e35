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

#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/parameter.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation elasticity_stencils{
    .star = 0, .box = 1, .unknown_per_axis = true, .coupled = true};

// Lame's constants.
inline constexpr PdeParameter lame_lambda_pa{
    .name = "lambda", .usual = 1, .units = "Pa", .about = "Lame's first"},
    lame_mu_pa{.name = "mu",
               .usual = 1,
               .units = "Pa",
               .about = "Lame's second, the shear modulus",
               .least = 0,
               .above_least = true};
// Why no body has these, in a sentence; empty where one has.
std::string why_not_lame(double lambda_pa, double mu_pa);

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
