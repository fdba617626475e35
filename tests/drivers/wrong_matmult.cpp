// A MatMult that is wrong in row 0, to be preloaded: shows that a wrong product is noticed.
#include <dlfcn.h>
#include <petscmat.h>

extern "C" PetscErrorCode MatMult(Mat matrix, Vec x, Vec y) {
  static const auto genuine =
      reinterpret_cast<PetscErrorCode (*)(Mat, Vec, Vec)>(dlsym(RTLD_NEXT, "MatMult"));
  if (const PetscErrorCode code = genuine(matrix, x, y)) return code;
  PetscScalar* values = nullptr;
  if (const PetscErrorCode code = VecGetArray(y, &values)) return code;
  values[0] = values[0] * (1 + 1e-9) + 1e-9;
  return VecRestoreArray(y, &values);
}
