// Row orderings from PETSc.
#pragma once

#include "formats/array.hpp"

namespace quadrille::petsc {

// Reverse Cuthill-McKee (MATORDERINGRCM) of the symmetrised pattern: stored row i is row result[i]. Throws
// FormatError for a matrix that is not square and PetscError without a Session.
Array<std::int32_t> rcm_order(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& row_ptr,
                              const Array<std::int32_t>& column);

}  // namespace quadrille::petsc
