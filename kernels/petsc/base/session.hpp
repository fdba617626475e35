// PETSc's life time in a program, and the versions it was built with. No PETSc header is needed to include
// this.
#pragma once

#include <string>
#include <vector>

namespace quadrille::petsc {

// Initialises PETSc (and MPI) and finalises both. Signals are left to the system. `arguments` go to PETSc's
// options database. One at a time; a second one while the first lives, or where the host program has
// initialised PETSc itself, does nothing. A PETSc with CUDA takes the GPU `first_gpu`, and on several ranks
// those from it on in turn.
class Session {
 public:
  explicit Session(const std::vector<std::string>& arguments = {}, int first_gpu = 0);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::vector<std::string> words_;  // PETSc keeps pointers to its arguments
  std::vector<char*> pointers_;
  bool owner_ = false, owns_mpi_ = false;
};

// The GPU of this rank where the first rank of its machine has `first_gpu`. Needs MPI to be started.
int gpu_of_rank(int first_gpu);

// Ends the process with one sentence and the exit code 3 while MPI starts in a process that mpiexec did not
// start, else does nothing. Session has it called by exit() and by signals; Open MPI mostly ends by _exit(),
// where a program may call it.
void explain_end_of_start();

// Throws PetscError where several processes run this program together. Needs a Session.
void require_one_rank();

// How the values of other ranks' nodes come to products and cycles of multigrid in that memory: "mpi", or
// "mpi_through_host" where MPI cannot send from the GPU's (-use_gpu_aware_mpi 0), or "direct", from GPU to
// GPU (gpu_ranks.hpp). Collective; needs a Session.
std::string halo_path(bool on_gpu);

// Options that nobody asked for after the run: likely misspelt. Empty when all were used.
std::vector<std::string> unused_options();

std::string petsc_version();  // "3.18.5"
bool has_cuda();              // whether it has vectors in GPU memory
std::string mpi_version();    // "Open MPI v4.1.4"

}  // namespace quadrille::petsc
