// PETSc's own products as SpmvOperators: the peers that are timed and checked beside our formats.
#pragma once

#include <memory>

#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// Throws PetscError without a Session.
std::unique_ptr<SpmvOperator<double>> make_aij_operator(std::shared_ptr<const Csr<double>> csr);

// The same on the GPU, with x and y in its memory. Throws FormatError where PETSc has no CUDA.
std::unique_ptr<SpmvOperator<double>> make_aijcusparse_operator(std::shared_ptr<const Csr<double>> csr);

}  // namespace quadrille::petsc
