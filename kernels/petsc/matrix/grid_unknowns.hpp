// Some unknowns of every node of a matrix on a grid: the couplings between them are on that grid, too.
// Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscis.h>

#include <optional>
#include <vector>

#include "kernels/gather_sum.hpp"
#include "kernels/petsc/matrix/grid_values.hpp"

namespace quadrille::petsc {

// The unknowns of which these are the rows, for every node of this rank in turn; none of other index sets,
// and without nodes nothing.
std::optional<std::vector<int>> unknowns_in(IS rows, PetscInt first_row, PetscInt nodes, PetscInt dof);

// Where values between unknowns come from.
class TakenUnknowns {
 public:
  // `some` has the structure with_unknowns() of `all`'s.
  TakenUnknowns(UnknownsOfBlocks unknowns, const GridValues& all, const GridValues& some);
  const UnknownsOfBlocks& unknowns() const { return unknowns_; }
  // The newest values, in the memory where they are.
  void take(GridValues& all, GridValues& some);

 private:
  UnknownsOfBlocks unknowns_;
  GatherSum<Host> of_ghosts_;
  GatherSum<Device> of_ghosts_on_gpu_;
};

}  // namespace quadrille::petsc
