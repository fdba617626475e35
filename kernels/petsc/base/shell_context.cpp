#include "kernels/petsc/base/shell_context.hpp"

// A private header: MatShellGetContext() compares names, which takes longer than setting the values of a row.
#include <petsc/private/matimpl.h>

#include <cstring>

#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {

ShellContext& shell_context(Mat matrix) {
  const char* const name = reinterpret_cast<PetscObject>(matrix)->type_name;
  const bool ours =
      name != nullptr && (std::strcmp(name, "seqquadrille") == 0 || std::strcmp(name, "mpiquadrille") == 0 ||
                          std::strcmp(name, MATSHELL) == 0);
  if (!ours || matrix->spptr == nullptr)
    throw PetscError("this matrix is no shell of Quadrille's, or was destroyed");
  return *static_cast<ShellContext*>(matrix->spptr);
}

void set_shell_context(Mat matrix, std::unique_ptr<ShellContext> context) {
  delete static_cast<ShellContext*>(matrix->spptr);
  matrix->spptr = context.release();
}

void mark_unassembled(Mat matrix) {
  matrix->assembled = PETSC_FALSE;
}

void mark_changed(Mat matrix) {
  QUADRILLE_PETSC(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(matrix)));
}

std::int64_t changes_of(Mat matrix) {
  PetscObjectState state = 0;
  QUADRILLE_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(matrix), &state));
  return state;
}

void mark_set_up(Mat matrix, bool assembled) {
  matrix->preallocated = PETSC_TRUE;
  if (assembled) matrix->assembled = PETSC_TRUE;
}

}  // namespace quadrille::petsc
