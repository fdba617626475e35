// Two substances that react and spread, u + 2 v -> 3 v (Pearson, Complex patterns in a simple system, Science
// 261, 1993):
//
//   u_t = 8e-5 lap u - u v^2 + F (1 - u)
//   v_t = 4e-5 lap v + u v^2 - (F + k) v
//
// on a periodic square of 2.5 m, from four spots. Steps follow PETSc's estimate of the error; every 100 s are
// written to gray_scott.h5. Options: -n, -until, and PETSc's (-ts_type cn, -ts_monitor, -snes_monitor, ...).
#include <cmath>
#include <cstdio>
#include <numbers>
#include <quadrille/quadrille.hpp>

struct GrayScott {
  double of_u = 8e-5, of_v = 4e-5, feed = 0.024, kill = 0.06;

  constexpr auto operator()(const auto& c, int r) const {
    const auto reaction = c(0) * c(1) * c(1);
    return r == 0 ? c.rate(0) - of_u * c.laplacian(0) + reaction - feed * (1 - c(0))
                  : c.rate(1) - of_v * c.laplacian(1) - reaction + (feed + kill) * c(1);
  }
};

int main(int argc, char** argv) {
  quadrille::Session session(argc, argv);
  PetscInt n = 128;
  PetscReal until_s = 1000;
  PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr);
  PetscOptionsGetReal(nullptr, nullptr, "-until", &until_s, nullptr);
  const double h = 2.5 / static_cast<double>(n);
  const quadrille::Grid grid{2, {n, n, 1}, {h, h, 1}, 2};
  quadrille::BoundaryConditions faces = quadrille::no_flux();
  faces.x_low = faces.x_high = faces.y_low = faces.y_high = quadrille::periodic();
  quadrille::GridResidual f(PETSC_COMM_WORLD, grid, quadrille::star_stencil(2, 1), faces, GrayScott{});

  quadrille::Vector c = f.vector();
  c.fill([=](const quadrille::Position& p, int unknown) {
    const double x = h * static_cast<double>(p.x), y = h * static_cast<double>(p.y), t = 4 * std::numbers::pi;
    const bool inside = x >= 1 && x <= 1.5 && y >= 1 && y <= 1.5;
    const double v = inside ? 0.25 * std::pow(std::sin(t * x) * std::sin(t * y), 2) : 0;
    return unknown == 0 ? 1 - 2 * v : v;
  });
  quadrille::FieldWriter out("gray_scott.h5", grid, {"u", "v"});
  out.write(0, c);
  quadrille::TimeSolver solver(f);
  int steps = 0, newton = 0;
  for (double t_s = 0, dt_s = 1; t_s < until_s; t_s += 100) {
    const auto run =
        solver.run(c, {.from_s = t_s, .until_s = std::fmin(t_s + 100, until_s), .dt_s = dt_s}).or_throw();
    out.write(run.t_s, c);
    dt_s = run.dt_s;
    steps += run.steps, newton += run.newton_iterations;
  }
  const double norm = c.norm() / static_cast<double>(n);
  if (quadrille::Session::rank() == 0)
    std::printf("%d steps, %d Newton iterations, root mean square of the node %.10f\n", steps, newton, norm);
}
