// Bratu's equation, -lap u = 6 e^u on a square with u = 0 around it, by PETSc's SNES: the residual is the
// program's own, the Jacobian a GridOperator that is updated.
//
//   mpiexec -n 2 ./bratu -snes_monitor
#include <petscsnes.h>
#include <cmath>
#include <quadrille/quadrille.hpp>
using namespace quadrille;

struct Bratu {
  double h;
  const double* u = nullptr;  // of this rank's box; null: the Laplacian alone
  NodeBox box = {};
  double operator()(const StencilNode& node, const StencilNeighbour& to, int, int) const {
    if (to.offset != Offset{}) return -1 / (h * h);
    const auto [x, y, z] = node.position;
    const std::int64_t row = (y - box.first[1]) * box.size[0] + x - box.first[0];
    return 4 / (h * h) - (u == nullptr ? 0 : 6 * std::exp(u[row]));
  }
};

struct Problem {
  double h;
  GridOperator laplacian, jacobian;
};

PetscErrorCode residual(SNES, Vec x, Vec f, void* context) {
  PetscCall(MatMult(static_cast<Problem*>(context)->laplacian.mat(), x, f));
  const HostValues<const double> u(x);
  const HostValues<double> r(f);
  for (std::int64_t row = 0; row < r.size(); ++row) r[row] -= 6 * std::exp(u[row]);
  return 0;
}

PetscErrorCode jacobian(SNES, Vec x, Mat, Mat, void* context) {
  auto& p = *static_cast<Problem*>(context);
  const HostValues<const double> u(x);
  p.jacobian.update(Bratu{p.h, u.begin(), p.jacobian.layout().box()});
  return 0;
}

int main(int argc, char** argv) {
  const Session session(argc, argv);
  const double h = 1.0 / 65;
  const Grid grid{.dimension = 2, .extents = {64, 64, 1}, .spacing_m = {h, h, h}};
  const BoundaryConditions zero = dirichlet(0.0);
  const auto made = [&] { return GridOperator(PETSC_COMM_WORLD, grid, star_stencil(2, 1), zero, Bratu{h}); };
  Problem p{h, made(), made()};
  Vector u = p.jacobian.vector(), f = u;
  SNES snes = nullptr;
  PetscInt steps = 0;
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, f.vec(), residual, &p));
  PetscCall(SNESSetJacobian(snes, p.jacobian.mat(), p.jacobian.mat(), jacobian, &p));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESSolve(snes, nullptr, u.vec()));
  PetscCall(SNESGetIterationNumber(snes, &steps));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d steps of Newton, u <= %.6f\n", int(steps), u.largest()));
}
