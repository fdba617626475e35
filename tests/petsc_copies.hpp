// What PETSc counts of the bus in solves.
#pragma once

#include <petscksp.h>

#include "kernels/petsc/base/check.hpp"

#if defined(PETSC_HAVE_CUDA)
namespace quadrille {

// Copies between host and GPU that PETSc has logged in KSPSolve, but for single numbers such as norms.
inline double copies_in_solves() {
  PetscLogEvent event = -1;
  PetscEventPerfInfo info{};
  petsc::check(PetscLogEventGetId("KSPSolve", &event), "PetscLogEventGetId");
  petsc::check(PetscLogEventGetPerfInfo(0, event, &info), "PetscLogEventGetPerfInfo");
  return info.CpuToGpuCount + info.GpuToCpuCount;
}

}  // namespace quadrille
#endif
