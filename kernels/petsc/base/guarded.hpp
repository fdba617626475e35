// The way out of a PETSc callback: no exception crosses it. Internal to kernels/petsc.
#pragma once

#include <petscsys.h>

#include <new>
#include <stdexcept>

#include "formats/format.hpp"
#include "formats/threads.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {

// Runs body() and turns what it throws into a PETSc error with the same message. `function` is what the error
// names as its place. For bodies without loops that threads share.
template <class Body>
PetscErrorCode guarded_serial(const char* function, const Body& body) noexcept {
  const auto raise = [&](PetscErrorCode code, const char* message) {
    return ::PetscError(PETSC_COMM_SELF, __LINE__, function, __FILE__, code, PETSC_ERROR_INITIAL, "%s: %s",
                        function, message);
  };
  try {
    body();
    return static_cast<PetscErrorCode>(0);
  } catch (const FormatError& error) {
    return raise(PETSC_ERR_SUP, error.what());
  } catch (const MemoryError& error) {
    return raise(PETSC_ERR_MEM, error.what());
  } catch (const CudaError& error) {
    return raise(PETSC_ERR_GPU, error.what());
  } catch (const quadrille::PetscError& error) {
    return raise(error.code != 0 ? static_cast<PetscErrorCode>(error.code) : PETSC_ERR_LIB, error.what());
  } catch (const std::bad_alloc&) {
    return raise(PETSC_ERR_MEM, "not enough memory");
  } catch (const std::exception& error) {
    return raise(PETSC_ERR_LIB, error.what());
  } catch (...) {
    return raise(PETSC_ERR_LIB, "unknown exception");
  }
}

// The same, with as many threads as are this rank's.
template <class Body>
PetscErrorCode guarded(const char* function, const Body& body) noexcept {
  const ThreadLimit limit(host_share().threads);
  return guarded_serial(function, body);
}

}  // namespace quadrille::petsc
