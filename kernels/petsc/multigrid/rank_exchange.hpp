// The ranks of a communicator as multigrid asks for them (kernels/multigrid/ranks.hpp). Internal to
// kernels/petsc.
#pragma once

#include <mpi.h>

#include "kernels/multigrid/ranks.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

class PetscRanks final : public multigrid::Ranks {
 public:
  explicit PetscRanks(MPI_Comm comm) : comm_(comm) {}
  // Throws FormatError for vectors in GPU memory where PETSc has no CUDA.
  std::unique_ptr<NodeExchange> exchange(const TransfersTo& transfers, std::int64_t from_nodes, int dof,
                                         bool on_gpu) override;
  void sum(std::vector<double>& values) override;
  double largest(double value) override;

 private:
  MPI_Comm comm_;
};

// The parts of a distributed matrix on a grid, with its values in Space.
template <class Space>
SharedOperator<Space> shared_operator(const LocalParts& parts, const BlockDiagonals<double, Space>& own,
                                      const Array<double, Space>& ghost_values, PetscRanks& ranks) {
  return {own,
          *parts.ghost,
          ghost_values.data(),
          {parts.boundary_rows.begin(), parts.boundary_rows.end()},
          {parts.ghost_columns.begin(), parts.ghost_columns.end()},
          *parts.partition,
          ranks};
}

}  // namespace quadrille::petsc
