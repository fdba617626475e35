// -lap u = f on a square with u = 0 around it: a sine wave, which the 5-point star has as an eigenvector, so
// that the solution of the linear system is known to the last digits.
//
//   mpiexec -n 3 ./steady -n 64                   by CG with multigrid on the grid, without further options
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quadrille/quadrille.hpp>

struct Laplacian {
  static constexpr bool linear = true;
  constexpr auto operator()(const auto& u, int r) const { return -u.laplacian(r); }
};

int main(int argc, char** argv) {
  const quadrille::Session session(argc, argv);
  PetscInt n = 64;
  PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr);
  const double h_m = 1.0 / static_cast<double>(n + 1), k = std::numbers::pi * h_m;

  const quadrille::Grid grid{.dimension = 2, .extents = {n, n, 1}, .spacing_m = {h_m, h_m, h_m}};
  const quadrille::BoundaryConditions faces = quadrille::dirichlet(0.0);
  const quadrille::GridOperator a(PETSC_COMM_WORLD, grid, quadrille::star_stencil(2, 1), faces, Laplacian{});
  const quadrille::Vector exact = a.vector().fill([=](const quadrille::Position& at, int) {
    return std::sin(k * static_cast<double>(at.x + 1)) * std::sin(k * static_cast<double>(at.y + 1));
  });
  quadrille::Vector b = exact, u = a.vector();
  b.scale((4 - 4 * std::cos(k)) / (h_m * h_m));
  const auto result = quadrille::Solver(a, "-ksp_rtol 1e-10").solve(b, u).or_throw();
  const double error = u.axpy(-1, exact).largest();
  if (session.rank() == 0) std::printf("%d iterations, error %.1e\n", result.iterations, error);
  return error < 1e-8 ? 0 : 1;
}
