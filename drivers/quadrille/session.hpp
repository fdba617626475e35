// MPI, PETSc and the GPU of this rank, for as long as a program uses the library.
#pragma once

#include <exception>

#include "kernels/petsc/base/session.hpp"

namespace quadrille {

// Starts MPI and PETSc where the program has not, makes the matrix type and quadrille_mg known, and selects
// the GPU of this rank: those of a machine are given to its ranks in turn. The program's arguments go to
// PETSc's options. All that the library makes goes before this one does. Collective. Throws PetscError.
//
// While it lives, an exception that nobody catches ends the program, on all ranks, with its sentence and the
// exit code 1.
class Session {
 public:
  Session(int argc, char** argv);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  static int rank();   // of this process among those of PETSC_COMM_WORLD, from 0
  static int ranks();  // how many there are

 private:
  petsc::Session session_;
  std::terminate_handler before_;
};

}  // namespace quadrille
