// Turns PETSc's error codes into PetscError. Internal to kernels/petsc.
#pragma once

#include <petscdm.h>
#include <petscksp.h>
#include <petscsf.h>
#include <petscsnes.h>
#include <petscts.h>

#include <memory>
#include <type_traits>

namespace quadrille::petsc {

// Throws PetscError with `call` and what PETSc said last, unless code is 0. PETSc must be initialised.
void check(PetscErrorCode code, const char* call);
void require_initialised();

// PETSc objects that are destroyed on every way out.
struct Destroy {
  void operator()(Mat m) const { (void)MatDestroy(&m); }
  void operator()(Vec v) const { (void)VecDestroy(&v); }
  void operator()(IS s) const { (void)ISDestroy(&s); }
  void operator()(MatNullSpace s) const { (void)MatNullSpaceDestroy(&s); }
  void operator()(ISLocalToGlobalMapping m) const { (void)ISLocalToGlobalMappingDestroy(&m); }
  void operator()(PetscSF s) const { (void)PetscSFDestroy(&s); }
  void operator()(DM d) const { (void)DMDestroy(&d); }
  void operator()(KSP k) const { (void)KSPDestroy(&k); }
  void operator()(SNES s) const { (void)SNESDestroy(&s); }
  void operator()(TS t) const { (void)TSDestroy(&t); }
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

// Never destroys it, and keeps it where a look for leaks sees it: PETSc crashes when it destroys a solver
// whose vectors it could not make.
void abandon(void* object);
template <class Object>
void abandon(std::unique_ptr<Object, Destroy>& object) {
  if (object) abandon(static_cast<void*>(object.release()));
}

}  // namespace quadrille::petsc

#define QUADRILLE_PETSC(call) ::quadrille::petsc::check(call, #call)
