// What the matrix type makes of DMCreateInterpolation, against PETSc's own.
#include "comparison.hpp"

namespace quadrille::type_test {
namespace {

// A grid of 9 x 5 (x 13) nodes, or periodic of 8 x 4 (x 12), and the interpolation from the next coarser one to it.
struct Levels {
  Handle<DM> fine, coarse;
  Handle<Mat> matrix, interpolation;
  Handle<Vec> scale;
};

Levels levels_of(int dimension, int dof, bool periodic, MatType type) {
  const DMBoundaryType sides = periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
  const PetscInt less = periodic;
  Levels l;
  l.fine = make<DM>("DMDACreate", [](DM* dm) { return DMDACreate(PETSC_COMM_WORLD, dm); });
  CALL(DMSetDimension(l.fine.get(), dimension));
  CALL(DMDASetSizes(l.fine.get(), 9 - less, 5 - less, dimension == 3 ? 13 - less : 1));
  CALL(DMDASetBoundaryType(l.fine.get(), sides, sides, dimension == 3 ? sides : DM_BOUNDARY_NONE));
  CALL(DMDASetDof(l.fine.get(), dof));
  CALL(DMDASetStencilWidth(l.fine.get(), 1));
  CALL(DMSetFromOptions(l.fine.get()));
  CALL(DMSetMatType(l.fine.get(), type));
  CALL(DMSetUp(l.fine.get()));
  l.matrix = make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(l.fine.get(), m); });
  l.coarse = make<DM>("DMCoarsen", [&](DM* dm) { return DMCoarsen(l.fine.get(), PETSC_COMM_WORLD, dm); });
  Vec scale = nullptr;
  l.interpolation = make<Mat>("DMCreateInterpolation", [&](Mat* m) {
    return DMCreateInterpolation(l.coarse.get(), l.fine.get(), m, &scale);
  });
  l.scale.reset(scale);
  return l;
}

TEST_F(MatrixType, InterpolationFromCoarsenedGridsIsDmdas) {
  for (const int dimension : {2, 3})
    for (const int dof : {1, 3})
      for (const bool periodic : {false, true}) {
        SCOPED_TRACE(std::to_string(dimension) + "D, dof " + std::to_string(dof) +
                     (periodic ? ", periodic" : ""));
        const Levels ours = levels_of(dimension, dof, periodic, "quadrille"),
                     aij = levels_of(dimension, dof, periodic, MATAIJ);
        PetscBool shell = PETSC_FALSE;
        CALL(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ours.interpolation.get()), MATSHELL,
                                    &shell));
        EXPECT_EQ(shell == PETSC_TRUE, ranks() == 1);  // on several ranks it is PETSc's own
        const Mat p[] = {ours.interpolation.get(), aij.interpolation.get()};
        const Handle<Vec> coarse = random_vector(p[1], 1), fine = random_vector(p[1], 2, true);
        Handle<Vec> up[] = {random_vector(p[1], 3, true), random_vector(p[1], 3, true)};
        Handle<Vec> down[] = {random_vector(p[1], 4), random_vector(p[1], 4)};
        for (int i = 0; i < 2; ++i) {
          CALL(MatInterpolateAdd(p[i], coarse.get(), fine.get(), up[i].get()));
          CALL(MatRestrict(p[i], fine.get(), down[i].get()));
        }
        expect_near(up[0].get(), up[1].get(), "MatInterpolateAdd");
        expect_near(down[0].get(), down[1].get(), "MatRestrict");
        expect_near(ours.scale.get(), aij.scale.get(), "the scale");
      }
}

}  // namespace
}  // namespace quadrille::type_test
