// Three species in a channel, carried along x, spread, and turned into each other (a -> b -> c), implicit in
// time:  dc/dt + v(t) dc/dx - d lap c + reactions = 0,  c in mol/m^3. They come in at x-, and nothing goes
// through the other faces but what is carried out at x+.
//
//   mpiexec -n 3 ./species -n 32 -steps 20        writes species.h5 and species.xdmf
#include <array>
#include <cstdio>
#include <quadrille/quadrille.hpp>

struct Species {
  double h_m, dt_s, t_s = 0;
  std::array<double, 3> spread{1e-2, 2e-2, 5e-3};  // m^2/s
  std::array<double, 3> rate{2, 1, 0};             // 1/s, of a -> b and b -> c

  // Which species feel each other at all, at a node (centre) and beside it: what is stored of the blocks.
  static constexpr bool couples(bool centre, int r, int c) { return r == c || (centre && c == r - 1); }
  constexpr double operator()(const quadrille::StencilNode&, const quadrille::StencilNeighbour& to, int r,
                              int c) const {
    const bool centre = to.offset == quadrille::Offset{};
    if (r != c) return centre && c == r - 1 ? -rate[c] : 0;
    const double carried = 1 / (1 + t_s) / h_m, spreads = spread[r] / (h_m * h_m);
    if (centre) return 1 / dt_s + carried + 6 * spreads + rate[r];
    return -spreads - (to.offset.x < 0 ? carried : 0);  // upwind
  }
};

int main(int argc, char** argv) {
  const quadrille::Session session(argc, argv);  // MPI, PETSc, the GPU of this rank
  PetscInt n = 32, steps = 20;
  PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr);
  PetscOptionsGetInt(nullptr, nullptr, "-steps", &steps, nullptr);
  const double h_m = 1.0 / static_cast<double>(n), dt_s = 0.02;

  const quadrille::Grid grid{.extents = {n, n, n}, .spacing_m = {h_m, h_m, h_m}, .dof = 3};
  quadrille::BoundaryConditions faces = quadrille::no_flux();
  faces.x_low = quadrille::dirichlet(
      [=](const quadrille::Position& at, int unknown) { return unknown == 0 && 2 * at.y < n ? 1.0 : 0.0; });
  Species model{h_m, dt_s};
  quadrille::GridOperator a(PETSC_COMM_WORLD, grid, quadrille::star_stencil(3, 1), faces, model);
  quadrille::Vector c = a.vector(), b = a.vector();
  quadrille::Solver solver(a, "-ksp_type gmres -pc_type pbjacobi -ksp_rtol 1e-10");
  quadrille::FieldWriter out("species.h5", grid, {"a", "b", "c"});
  for (PetscInt step = 0; step < steps; ++step) {
    model.t_s += dt_s;
    a.update(model, b);  // in place, in every format, on all ranks
    b.axpy(1 / dt_s, c);
    const auto result = solver.solve(b, c, quadrille::keep_guess).or_throw();
    out.write(model.t_s, c);
    const double norm = c.norm();
    if (session.rank() == 0)
      std::printf("t = %.2f s: %d iterations, |c| = %.12g\n", model.t_s, result.iterations, norm);
  }
}
