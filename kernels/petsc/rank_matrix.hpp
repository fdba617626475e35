// A rank's part of an operator as a PETSc matrix of all ranks. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <memory>
#include <string>

#include "formats/slab.hpp"
#include "kernels/petsc/check.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// A MATSHELL of PETSC_COMM_WORLD with what make_shell_matrix() promises, but norms: `own` has this rank's rows and the columns of the
// same numbers. Collective. Throws FormatError where PETSc's indices cannot count the rows of all ranks.
Handle<Mat> make_rank_matrix(std::shared_ptr<const SpmvOperator<double>> own,
                             std::shared_ptr<const GhostPart> ghosts, const std::string& format,
                             int block_size);

// The same as a MATMPIAIJ, or a MATMPIAIJCUSPARSE, with arrays of its own.
Handle<Mat> make_rank_aij(const SpmvOperator<double>& own, const GhostPart& ghosts, int block_size,
                          bool on_gpu);

// A vector of PETSC_COMM_WORLD of so many rows of this rank, in GPU memory where PETSc has such vectors and `space` says so.
Handle<Vec> rank_vector(std::int64_t rows, SpaceKind space);

}  // namespace quadrille::petsc
