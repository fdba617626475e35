// PETSc's own product as an SpmvOperator: the peer that is timed and checked beside our formats.
#pragma once

#include <memory>

#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// Throws PetscError without a Session.
std::unique_ptr<SpmvOperator<double>> make_aij_operator(std::shared_ptr<const Csr<double>> csr);

}  // namespace quadrille::petsc
