// Turns PETSc's error codes into PetscError. Internal to kernels/petsc.
#pragma once

#include <petscksp.h>

#include <memory>
#include <type_traits>

namespace quadrille::petsc {

// Throws PetscError with `call` and what PETSc said last, unless code is 0. PETSc must be initialised.
void check(PetscErrorCode code, const char* call);
void require_initialised();

// PETSc objects that are destroyed on every way out.
struct Destroy {
  void operator()(Mat m) const { MatDestroy(&m); }
  void operator()(Vec v) const { VecDestroy(&v); }
  void operator()(IS s) const { ISDestroy(&s); }
  void operator()(MatNullSpace s) const { MatNullSpaceDestroy(&s); }
  void operator()(KSP k) const { KSPDestroy(&k); }
};
template <class Object>
using Handle = std::unique_ptr<std::remove_pointer_t<Object>, Destroy>;  // Object: Mat, Vec, ...

// The object that `create(&object)` makes.
template <class Object, class Create>
Handle<Object> make(const char* call, const Create& create) {
  Object object = nullptr;
  check(create(&object), call);
  return Handle<Object>(object);
}

}  // namespace quadrille::petsc

#define QUADRILLE_PETSC(call) ::quadrille::petsc::check(call, #call)
