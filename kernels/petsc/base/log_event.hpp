// Events of -log_view. Internal to kernels/petsc.
#pragma once

#include <petscpc.h>

#include <cstdint>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

// The event of this name, which is made where PETSc does not know it yet: at its use, for plug-ins are loaded
// before PETSc can log.
inline PetscLogEvent log_event(const char* name) {
  PetscLogEvent event = -1;
  QUADRILLE_PETSC(PetscLogEventGetId(name, &event));
  if (event < 0) QUADRILLE_PETSC(PetscLogEventRegister(name, PC_CLASSID, &event));
  return event;
}

// What runs while this lives is the event's, with the flops that are logged within it. `bytes` is what it
// must move at least, each time: dof 0 of the event, which the formats of -log_view with all numbers have
// (ascii_info_detail, ascii_csv), for PETSc has no column for it.
class LogSpan {
 public:
  explicit LogSpan(PetscLogEvent event) : event_(event) {
    QUADRILLE_PETSC(PetscLogEventBegin(event_, nullptr, nullptr, nullptr, nullptr));
  }
  ~LogSpan() { (void)PetscLogEventEnd(event_, nullptr, nullptr, nullptr, nullptr); }
  LogSpan(const LogSpan&) = delete;
  LogSpan& operator=(const LogSpan&) = delete;
  void moves(std::int64_t bytes) const {
    QUADRILLE_PETSC(PetscLogEventSetDof(event_, 0, static_cast<PetscLogDouble>(bytes)));
  }

 private:
  PetscLogEvent event_;
};

}  // namespace quadrille::petsc
