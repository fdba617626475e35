// Parts of PETSc that read AIJ's arrays of the matrix that they get: GAMG, ML and two colourings refuse any
// other type, PCMPI takes its memory for AIJ's whatever it is. While PETSc's own function runs, the AIJ copy
// stands in the place of a matrix of this type.
#include "kernels/petsc/matrix/aij_readers.hpp"

#include <petscksp.h>

// Private headers: the matrix of a preconditioner is not exchanged in public without its being set up anew.
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>

#include <string_view>

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/through_aij.hpp"

namespace quadrille::petsc {
namespace {

// PETSc's own functions of one kind, by its name.
template <class Object>
struct Own {
  PetscErrorCode (*create)(Object) = nullptr;
};
template <Name kind>
struct OwnSolver : Own<PC> {
  PetscErrorCode (*set_up)(PC) = nullptr;
  static OwnSolver& functions() {
    static OwnSolver own;
    return own;
  }
};
template <Name kind>
struct OwnColoring : Own<MatColoring> {
  PetscErrorCode (*apply)(MatColoring, ISColoring*) = nullptr;
  static OwnColoring& functions() {
    static OwnColoring own;
    return own;
  }
};

template <class Call>
void with_copy_in(Mat& place, const char* name, const Call& call) {
  const Mat matrix = place;
  if (matrix != nullptr && is_typed(matrix)) place = as_aij(matrix);
  const PetscErrorCode code = call();
  place = matrix;
  check(code, name);
}

template <Name kind>
PetscErrorCode set_up(PC pc) {
  return guarded("PCSetUp_Quadrille", [&] {
    with_copy_in(pc->pmat, kind.text, [&] { return OwnSolver<kind>::functions().set_up(pc); });
    // PCMPI solves small systems by a solver of one rank, the first thing in its data, which takes any
    // matrix.
    if (std::string_view(kind.text) == PCMPI && pc->ops->setup == nullptr && is_typed(pc->pmat))
      QUADRILLE_PETSC(KSPSetOperators(*static_cast<KSP*>(pc->data), pc->pmat, pc->pmat));
  });
}

template <Name kind>
PetscErrorCode create_solver(PC pc) {
  return guarded("PCCreate_Quadrille", [&] {
    check(OwnSolver<kind>::functions().create(pc), kind.text);
    OwnSolver<kind>::functions().set_up = pc->ops->setup;
    pc->ops->setup = set_up<kind>;
  });
}

template <Name kind>
PetscErrorCode apply(MatColoring coloring, ISColoring* colors) {
  return guarded("MatColoringApply_Quadrille", [&] {
    with_copy_in(coloring->mat, kind.text,
                 [&] { return OwnColoring<kind>::functions().apply(coloring, colors); });
  });
}

template <Name kind>
PetscErrorCode create_coloring(MatColoring coloring) {
  return guarded("MatColoringCreate_Quadrille", [&] {
    check(OwnColoring<kind>::functions().create(coloring), kind.text);
    OwnColoring<kind>::functions().apply = coloring->ops->apply;
    coloring->ops->apply = apply<kind>;
  });
}

// Whether PETSc has this kind, and `ours` is not in its place already.
template <class Object>
bool take_place(PetscFunctionList list, const char* kind, Own<Object>& own, PetscErrorCode (*ours)(Object)) {
  PetscErrorCode (*found)(Object) = nullptr;
  QUADRILLE_PETSC(PetscFunctionListFind(list, kind, &found));
  if (found == nullptr || found == ours) return false;
  own.create = found;
  return true;
}

template <Name kind>
void register_solver() {
  if (take_place(PCList, kind.text, OwnSolver<kind>::functions(), create_solver<kind>))
    QUADRILLE_PETSC(PCRegister(kind.text, create_solver<kind>));
}
template <Name kind>
void register_coloring() {
  if (take_place(MatColoringList, kind.text, OwnColoring<kind>::functions(), create_coloring<kind>))
    QUADRILLE_PETSC(MatColoringRegister(kind.text, create_coloring<kind>));
}

}  // namespace

void register_aij_readers() {
  QUADRILLE_PETSC(PCInitializePackage());  // registers PETSc's own
  QUADRILLE_PETSC(MatColoringRegisterAll());
  register_solver<PCMPI>();
  register_solver<PCGAMG>();
  register_solver<PCML>();
  register_coloring<MATCOLORINGGREEDY>();
  register_coloring<MATCOLORINGJP>();
}

}  // namespace quadrille::petsc
