// The ranks of a communicator as multigrid asks for them (kernels/multigrid/ranks.hpp), by PETSc's star forests. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <petscsf.h>

#include "kernels/multigrid/ranks.hpp"

namespace quadrille::petsc {

class PetscRanks final : public multigrid::Ranks {
 public:
  explicit PetscRanks(MPI_Comm comm) : comm_(comm) {}
  // Throws FormatError for vectors in GPU memory where PETSc has no CUDA.
  std::unique_ptr<multigrid::NodeExchange> exchange(std::int64_t from_nodes,
                                                    const std::vector<std::int64_t>& to,
                                                    const std::vector<multigrid::NodePlace>& from, int dof,
                                                    bool on_gpu) override;
  void sum(std::vector<double>& values) override;
  double largest(double value) override;

 private:
  MPI_Comm comm_;
};

}  // namespace quadrille::petsc
