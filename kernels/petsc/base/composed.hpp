// Objects of ours that PETSc's objects own. Internal to kernels/petsc.
#pragma once

#include <petscsys.h>

#include <memory>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {

#if PETSC_VERSION_LT(3, 23, 0)
template <class T>
PetscErrorCode destroy_composed(void* object) {
  delete static_cast<T*>(object);
  return static_cast<PetscErrorCode>(0);
}
#else
template <class T>
PetscErrorCode destroy_composed(void* place) {  // of the pointer
  delete *static_cast<T**>(place);
  return PETSC_SUCCESS;
}
#endif

// Gives `object` to `owner` under this name, in place of what had it.
template <class T>
void compose(PetscObject owner, const char* name, std::unique_ptr<T> object) {
  PetscContainer container = nullptr;
  QUADRILLE_PETSC(PetscContainerCreate(PETSC_COMM_SELF, &container));
  QUADRILLE_PETSC(PetscContainerSetPointer(container, object.release()));
#if PETSC_VERSION_LT(3, 23, 0)
  QUADRILLE_PETSC(PetscContainerSetUserDestroy(container, destroy_composed<T>));
#else
  QUADRILLE_PETSC(
      PetscContainerSetCtxDestroy(container, reinterpret_cast<PetscCtxDestroyFn*>(destroy_composed<T>)));
#endif
  QUADRILLE_PETSC(PetscObjectCompose(owner, name, reinterpret_cast<PetscObject>(container)));
  QUADRILLE_PETSC(PetscContainerDestroy(&container));
}

// What has this name; throws PetscError where there is nothing.
template <class T>
T& composed(PetscObject owner, const char* name) {
  PetscObject container = nullptr;
  void* object = nullptr;
  QUADRILLE_PETSC(PetscObjectQuery(owner, name, &container));
  if (container == nullptr) throw PetscError(std::string("this object has no ") + name + " of Quadrille's");
  QUADRILLE_PETSC(PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &object));
  return *static_cast<T*>(object);
}

}  // namespace quadrille::petsc
