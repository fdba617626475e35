// Starts MPI. Internal to kernels/petsc.
#pragma once

namespace quadrille::petsc {

// Starts MPI where it does not run yet; whether it did, so that the caller is to finalise it. A process that
// no launcher started talks to itself alone, and gets by without Open MPI's daemon, a network and a folder
// for sessions. Where MPI cannot start even so and ends the process, its messages become one sentence, and
// the exit code is 3. Throws PetscError where there are too few files that may be open, or MPI says that it
// failed.
bool start_mpi();

}  // namespace quadrille::petsc
