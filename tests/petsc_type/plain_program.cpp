// A PETSc program that knows nothing of Quadrille: the Laplacian with 7 points on a DMDA of 17 x 17 x 17
// nodes (or as -da_grid_x and the like say), whose faces hold zeros, solved twice by what the options say.
//
//     plain_program -dm_mat_type quadrille -dll_append libquadrille_petsc.so -expected_type quadrille
//                   -pc_type mg -pc_mg_levels 3
//
// Prints iterations and the seconds of the second solve. Exit status 1 where the matrix is not of a type
// whose name ends with -expected_type, or the residual is too large.
#include <petscdmda.h>
#include <petscksp.h>
#include <petsctime.h>

namespace {

bool inside(const DMDALocalInfo& at, PetscInt x, PetscInt y, PetscInt z) {
  return x > 0 && x + 1 < at.mx && y > 0 && y + 1 < at.my && z > 0 && z + 1 < at.mz;
}

// Integrated over the cell of a node; rows of faces stand for themselves, as does what would be coupled to
// them.
PetscErrorCode fill(KSP ksp, Mat, Mat a, void*) {
  DM grid = nullptr;
  DMDALocalInfo at;
  PetscFunctionBeginUser;
  PetscCall(KSPGetDM(ksp, &grid));
  PetscCall(DMDAGetLocalInfo(grid, &at));
  const PetscReal h = 1.0 / (at.mx - 1);
  for (PetscInt z = at.zs; z < at.zs + at.zm; ++z)
    for (PetscInt y = at.ys; y < at.ys + at.ym; ++y)
      for (PetscInt x = at.xs; x < at.xs + at.xm; ++x) {
        const MatStencil row{z, y, x, 0};
        MatStencil columns[7] = {row};
        PetscScalar values[7] = {6 * h};
        PetscInt count = 1;
        for (const PetscInt side : {-1, 1})
          for (int axis = 0; axis < 3; ++axis) {
            const MatStencil to{z + side * (axis == 2), y + side * (axis == 1), x + side * (axis == 0), 0};
            if (!inside(at, x, y, z) || !inside(at, to.i, to.j, to.k)) continue;
            columns[count] = to;
            values[count++] = -h;
          }
        PetscCall(MatSetValuesStencil(a, 1, &row, count, columns, values, INSERT_VALUES));
      }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

PetscErrorCode solve(KSP ksp, DM grid, int* status) {
  Mat a = nullptr;
  Vec b = nullptr, x = nullptr;
  MatType type = nullptr;
  char expected[64] = "aij";
  PetscBool is_expected = PETSC_FALSE;
  PetscReal size = 0, off = 0;
  PetscLogDouble begin = 0, end = 0;
  PetscInt iterations = 0;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-expected_type", expected, sizeof expected, nullptr));
  PetscCall(DMCreateGlobalVector(grid, &x));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  for (int round = 0; round < 2; ++round) {
    PetscCall(PetscTime(&begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(VecNorm(x, NORM_2, &size));  // waits for the GPU
    PetscCall(PetscTime(&end));
  }
  PetscCall(KSPGetOperators(ksp, &a, nullptr));
  PetscCall(MatGetType(a, &type));
  PetscCall(PetscStrendswith(type, expected, &is_expected));
  if (!is_expected)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the matrix is of type %s, not %s\n", type, expected));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(VecScale(b, -1));
  PetscCall(MatMultAdd(a, x, b, b));
  PetscCall(VecNorm(b, NORM_2, &off));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %d iterations, %g s, relative residual %g\n", type,
                        static_cast<int>(iterations), end - begin, static_cast<double>(off / size)));
  *status = is_expected && off <= 1e-6 * size ? 0 : 1;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

}  // namespace

int main(int argc, char** argv) {
  DM grid = nullptr;
  KSP ksp = nullptr;
  int status = 1;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, 17, 17, 17, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                         nullptr, nullptr, nullptr, &grid));
  PetscCall(DMSetFromOptions(grid));
  PetscCall(DMSetUp(grid));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetDM(ksp, grid));
  PetscCall(KSPSetComputeOperators(ksp, fill, nullptr));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(solve(ksp, grid, &status));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(DMDestroy(&grid));
  PetscCall(PetscFinalize());
  return status;
}
