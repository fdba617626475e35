// What a rank has of a grid: a box of nodes, whose numbers it reads and writes in place; and a file that all
// ranks write together, and read again on as many ranks as one likes.
//
//   mpiexec -n 2 ./ranks && ./ranks -read
#include <algorithm>
#include <cstdio>
#include <quadrille/quadrille.hpp>
using namespace quadrille;

struct Laplacian {
  constexpr double operator()(const StencilNode&, const StencilNeighbour& to, int, int) const {
    return to.offset == Offset{} ? 6 : -1;
  }
};

int main(int argc, char** argv) {
  const Session session(argc, argv);
  PetscBool read = PETSC_FALSE;
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-read", &read));
  const Grid grid{.extents = {12, 10, 8}};
  const BoundaryConditions faces = no_flux();
  const GridOperator a(PETSC_COMM_WORLD, grid, star_stencil(3, 1), faces, Laplacian{});
  Vector x = a.vector(), y = a.vector();
  if (read) {
    const FieldReader in("ranks.h5");
    in.read(in.steps() - 1, {"height"}, x);
  } else {
    const NodeBox box = x.layout().box();
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "rank %d of %d: %d x %d x %d nodes\n", session.rank(),
                                      session.ranks(), int(box.size[0]), int(box.size[1]), int(box.size[2])));
    PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, stdout));
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const double z = static_cast<double>(box.first_of_line(line)[2]);
      std::fill_n(x.values().begin() + line * box.size[0], box.size[0], z * z);  // x fastest, then y
    }
    FieldWriter("ranks.h5", grid, {"height"}).write(0, x);
  }
  a.multiply(x, y);  // asks other ranks for what stands beyond the box
  const double sum = x.dot(a.vector().set(1)), norm = y.norm();
  if (session.rank() == 0) std::printf("sum of x = %.0f, |A x| = %.6f\n", sum, norm);
}
