// Factorisations: PETSc's own of AIJ. The factor is a MATSEQAIJ whose symbolic and numeric steps take their values from the AIJ
// copy of the matrix, so that -pc_type lu, ilu, cholesky and icc do for this type what they do for AIJ.
#include "kernels/petsc/matrix_type/factor.hpp"

#include "kernels/petsc/composed.hpp"
#include "kernels/petsc/guarded.hpp"
#include "kernels/petsc/matrix_type/matrix.hpp"
#include "kernels/petsc/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

using Function = void (*)(void);
using SymbolicLu = PetscErrorCode(Mat, Mat, IS, IS, const MatFactorInfo*);
using Symbolic = PetscErrorCode(Mat, Mat, IS, const MatFactorInfo*);
using Numeric = PetscErrorCode(Mat, Mat, const MatFactorInfo*);

constexpr const char* container_name = "quadrille_factor";

// PETSc's own steps of a factor.
struct Steps {
  Function symbolic = nullptr, numeric = nullptr;
};

MatOperation symbolic_operation(MatFactorType type) {
  switch (type) {
    case MAT_FACTOR_LU:
      return MATOP_LUFACTOR_SYMBOLIC;
    case MAT_FACTOR_ILU:
      return MATOP_ILUFACTOR_SYMBOLIC;
    case MAT_FACTOR_CHOLESKY:
      return MATOP_CHOLESKY_FACTOR_SYMBOLIC;
    default:
      return MATOP_ICCFACTOR_SYMBOLIC;
  }
}

MatOperation numeric_operation(MatFactorType type) {
  const bool symmetric = type == MAT_FACTOR_CHOLESKY || type == MAT_FACTOR_ICC;
  return symmetric ? MATOP_CHOLESKY_FACTOR_NUMERIC : MATOP_LUFACTOR_NUMERIC;
}

Steps& steps_of(Mat factor) {
  return composed<Steps>(reinterpret_cast<PetscObject>(factor), container_name);
}

// A preconditioner may be made from another matrix than the one it was asked for.
Mat aij_of(Mat m) {
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(m), "seqquadrille", &ours));
  return ours ? typed(m).store().aij() : m;
}

PetscErrorCode numeric(Mat factor, Mat m, const MatFactorInfo* info) {
  return guarded("MatFactorNumeric_Quadrille", [&] {
    QUADRILLE_PETSC(reinterpret_cast<Numeric*>(steps_of(factor).numeric)(factor, aij_of(m), info));
  });
}

// The symbolic step says which numeric one is to follow: ours then calls that.
void take_numeric(Mat factor) {
  MatFactorType type = MAT_FACTOR_NONE;
  QUADRILLE_PETSC(MatGetFactorType(factor, &type));
  Function theirs = nullptr;
  QUADRILLE_PETSC(MatGetOperation(factor, numeric_operation(type), &theirs));
  steps_of(factor).numeric = theirs;
  set_operation(factor, numeric_operation(type), numeric);
}

PetscErrorCode symbolic_lu(Mat factor, Mat m, IS rows, IS columns, const MatFactorInfo* info) {
  return guarded("MatLUFactorSymbolic_Quadrille", [&] {
    const auto theirs = reinterpret_cast<SymbolicLu*>(steps_of(factor).symbolic);
    QUADRILLE_PETSC(theirs(factor, aij_of(m), rows, columns, info));
    take_numeric(factor);
  });
}
PetscErrorCode symbolic(Mat factor, Mat m, IS rows, const MatFactorInfo* info) {
  return guarded("MatCholeskyFactorSymbolic_Quadrille", [&] {
    const auto theirs = reinterpret_cast<Symbolic*>(steps_of(factor).symbolic);
    QUADRILLE_PETSC(theirs(factor, aij_of(m), rows, info));
    take_numeric(factor);
  });
}

PetscErrorCode get_factor(Mat m, MatFactorType type, Mat* result) {
  return guarded("MatGetFactor_Quadrille", [&] {
    Handle<Mat> factor = make<Mat>("MatGetFactor", [&](Mat* f) {
      return MatGetFactor(typed(m).store().aij(), MATSOLVERPETSC, type, f);
    });
    auto steps = std::make_unique<Steps>();
    QUADRILLE_PETSC(MatGetOperation(factor.get(), symbolic_operation(type), &steps->symbolic));
    compose(reinterpret_cast<PetscObject>(factor.get()), container_name, std::move(steps));
    const bool two_orders = type == MAT_FACTOR_LU || type == MAT_FACTOR_ILU;
    if (two_orders)
      set_operation(factor.get(), symbolic_operation(type), symbolic_lu);
    else
      set_operation(factor.get(), symbolic_operation(type), symbolic);
    *result = factor.release();
  });
}

}  // namespace

void register_factors() {
  for (const MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC})
    QUADRILLE_PETSC(MatSolverTypeRegister(MATSOLVERPETSC, "seqquadrille", type, get_factor));
}

}  // namespace quadrille::petsc
