// An operator as a MATSHELL of PETSc, on one rank: a matrix without a grid, in RgCSR, solved by PETSc with
// products and a diagonal and nothing else.
#include <algorithm>
#include <cstdio>
#include <quadrille/petsc.hpp>
#include <quadrille/products.hpp>
#include <quadrille/quadrille.hpp>
using namespace quadrille;

// 3 on the diagonal and -1 beside it, made by hand as CSR.
Csr<double> matrix(std::int32_t rows) {
  Csr<double> csr{rows, rows, Array<std::int32_t>(rows + 1, 0), Array<std::int32_t>(3 * rows - 2),
                  Array<double>(3 * rows - 2)};
  std::int32_t entry = 0;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = std::max(0, row - 1); column < std::min(rows, row + 2); ++column, ++entry) {
      csr.column[entry] = column;
      csr.value[entry] = column == row ? 3 : -1;
    }
    csr.row_ptr[row + 1] = entry;
  }
  validate(csr);
  return csr;
}

int main(int argc, char** argv) {
  const Session session(argc, argv);
  Mat shell =
      petsc::make_shell_matrix(make_operator("rg_csr", SpaceKind::cpu, input_of(matrix(1000))), "rg_csr");
  Vec x = nullptr, b = nullptr;
  KSP ksp = nullptr;
  PetscInt iterations = 0;
  PetscReal norm = 0;
  PetscCall(MatCreateVecs(shell, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, shell, shell));
  PetscCall(KSPSetType(ksp, KSPBCGS));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(MatMult(shell, x, b));
  PetscCall(VecShift(b, -1));
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (session.rank() == 0)
    std::printf("%s, |b - A x| %s\n", iterations < 40 ? "converged" : "slow",
                norm < 1e-7 ? "is small" : "is large");
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&shell));
}
