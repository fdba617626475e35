// Factorisations: those of AIJ, PETSc's own and of the packages that it was built with. The factor is AIJ's,
// whose symbolic and numeric steps take their values from the AIJ copy of the matrix, so that -pc_type lu,
// ilu, cholesky, icc and qr do for this type what they do for AIJ.
#include "kernels/petsc/matrix/factor.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/gpu_aij.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

using Function = void (*)(void);
using SymbolicLu = PetscErrorCode(Mat, Mat, IS, IS, const MatFactorInfo*);
using Symbolic = PetscErrorCode(Mat, Mat, IS, const MatFactorInfo*);
using Numeric = PetscErrorCode(Mat, Mat, const MatFactorInfo*);

constexpr const char* container_name = "quadrille_factor";

// PETSc's own steps of a factor, and the matrix that they are given where it is not the copy in AIJ.
struct Steps {
  Function symbolic = nullptr, numeric = nullptr;
  std::unique_ptr<GpuAij> on_gpu;
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

// Where a factor keeps a step: an operation of the matrix, but for QR, whose steps are functions with names.
enum class Step { symbolic, numeric };

Function step_of(Mat factor, MatFactorType type, Step step) {
  Function found = nullptr;
  if (type != MAT_FACTOR_QR)
    QUADRILLE_PETSC(MatGetOperation(
        factor, step == Step::symbolic ? symbolic_operation(type) : numeric_operation(type), &found));
  else
    QUADRILLE_PETSC(PetscObjectQueryFunction(
        reinterpret_cast<PetscObject>(factor),
        step == Step::symbolic ? "MatQRFactorSymbolic_C" : "MatQRFactorNumeric_C", &found));
  return found;
}

template <class Callback>
void set_step(Mat factor, MatFactorType type, Step step, Callback* ours) {
  if (type != MAT_FACTOR_QR)
    set_operation(factor, step == Step::symbolic ? symbolic_operation(type) : numeric_operation(type), ours);
  else
    QUADRILLE_PETSC(PetscObjectComposeFunction(
        reinterpret_cast<PetscObject>(factor),
        step == Step::symbolic ? "MatQRFactorSymbolic_C" : "MatQRFactorNumeric_C", ours));
}

Steps& steps_of(Mat factor) {
  return composed<Steps>(reinterpret_cast<PetscObject>(factor), container_name);
}

// A preconditioner may be made from another matrix than the one it was asked for.
Mat aij_of(Mat factor, Mat m) {
  if (!is_typed(m)) return m;
  GpuAij* const on_gpu = steps_of(factor).on_gpu.get();
  if (on_gpu == nullptr) return as_aij(m);
  on_gpu->refresh(m);
  return on_gpu->get();
}

PetscErrorCode numeric(Mat factor, Mat m, const MatFactorInfo* info) {
  return guarded("MatFactorNumeric_Quadrille", [&] {
    QUADRILLE_PETSC(reinterpret_cast<Numeric*>(steps_of(factor).numeric)(factor, aij_of(factor, m), info));
  });
}

// The symbolic step says which numeric one is to follow: ours then calls that.
void take_numeric(Mat factor) {
  MatFactorType type = MAT_FACTOR_NONE;
  QUADRILLE_PETSC(MatGetFactorType(factor, &type));
  const Function theirs = step_of(factor, type, Step::numeric);
  if (theirs == reinterpret_cast<Function>(numeric))
    return;  // a package that says it once, and was asked again
  steps_of(factor).numeric = theirs;
  set_step(factor, type, Step::numeric, numeric);
}

PetscErrorCode symbolic_lu(Mat factor, Mat m, IS rows, IS columns, const MatFactorInfo* info) {
  return guarded("MatLUFactorSymbolic_Quadrille", [&] {
    const auto theirs = reinterpret_cast<SymbolicLu*>(steps_of(factor).symbolic);
    QUADRILLE_PETSC(theirs(factor, aij_of(factor, m), rows, columns, info));
    take_numeric(factor);
  });
}
PetscErrorCode symbolic(Mat factor, Mat m, IS rows, const MatFactorInfo* info) {
  return guarded("MatCholeskyFactorSymbolic_Quadrille", [&] {
    const auto theirs = reinterpret_cast<Symbolic*>(steps_of(factor).symbolic);
    QUADRILLE_PETSC(theirs(factor, aij_of(factor, m), rows, info));
    take_numeric(factor);
  });
}

// Packages that factor AIJ, on one rank or on several: a function of each, for PETSc does not say which one
// it asks.
constexpr std::array packages = {MATSOLVERPETSC,        MATSOLVERMUMPS,       MATSOLVERSUPERLU,
                                 MATSOLVERSUPERLU_DIST, MATSOLVERUMFPACK,     MATSOLVERCHOLMOD,
                                 MATSOLVERKLU,          MATSOLVERSPQR,        MATSOLVERSTRUMPACK,
                                 MATSOLVERPASTIX,       MATSOLVERMKL_PARDISO, MATSOLVERMKL_CPARDISO};

Mat make_factor(Mat from, const char* package, MatFactorType type, std::unique_ptr<GpuAij> on_gpu) {
  Handle<Mat> factor =
      make<Mat>("MatGetFactor", [&](Mat* f) { return MatGetFactor(from, package, type, f); });
  auto steps = std::make_unique<Steps>();
  steps->symbolic = step_of(factor.get(), type, Step::symbolic);
  steps->on_gpu = std::move(on_gpu);
  compose(reinterpret_cast<PetscObject>(factor.get()), container_name, std::move(steps));
  const bool two_orders = type == MAT_FACTOR_LU || type == MAT_FACTOR_ILU;
  if (two_orders)
    set_step(factor.get(), type, Step::symbolic, symbolic_lu);
  else
    set_step(factor.get(), type, Step::symbolic, symbolic);
  return factor.release();
}

// PETSc's own incomplete factors of a matrix whose products run on a GPU are cuSPARSE's there, of values that
// never leave its memory.
template <std::size_t package>
PetscErrorCode get_factor(Mat m, MatFactorType type, Mat* result) {
  return guarded("MatGetFactor_Quadrille", [&] {
    const bool incomplete = type == MAT_FACTOR_ILU || type == MAT_FACTOR_ICC;
    if (packages[package] != std::string_view(MATSOLVERPETSC) || !incomplete || !has_gpu_aij(m)) {
      *result = make_factor(as_aij(m), packages[package], type, nullptr);
      return;
    }
    auto on_gpu = std::make_unique<GpuAij>(m);
    const Mat from = on_gpu->get();
    *result = make_factor(from, MATSOLVERCUSPARSE, type, std::move(on_gpu));
  });
}

// For each kind of factor that the package has of AIJ.
template <std::size_t package>
void register_package() {
  for (const auto& [ours, theirs] :
       {std::pair("seqquadrille", MATSEQAIJ), std::pair("mpiquadrille", MATMPIAIJ)})
    for (const MatFactorType type :
         {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC, MAT_FACTOR_QR}) {
      PetscBool known = PETSC_FALSE, of_type = PETSC_FALSE;
      PetscErrorCode (*create)(Mat, MatFactorType, Mat*) = nullptr;
      QUADRILLE_PETSC(MatSolverTypeGet(packages[package], theirs, type, &known, &of_type, &create));
      if (create != nullptr)
        QUADRILLE_PETSC(MatSolverTypeRegister(packages[package], ours, type, get_factor<package>));
    }
}

template <std::size_t... package>
void register_packages(std::index_sequence<package...>) {
  (register_package<package>(), ...);
}

}  // namespace

void register_factors() {
  QUADRILLE_PETSC(MatInitializePackage());  // registers those of AIJ
  register_packages(std::make_index_sequence<packages.size()>());
}

}  // namespace quadrille::petsc
