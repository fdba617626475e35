// Row orderings by the graph of a square matrix, from PETSc and SuiteSparse.
#pragma once

#include "kernels/registry.hpp"

namespace quadrille::petsc {

// Reverse Cuthill-McKee (MATORDERINGRCM) of the symmetrised pattern: stored row i is row result[i]. Throws
// FormatError for a matrix that is not square and PetscError without a Session.
Array<std::int32_t> rcm_order(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& row_ptr,
                              const Array<std::int32_t>& column);

// Approximate minimum degree (Amestoy, Davis, Duff 1996, SuiteSparse's AMD) of the pattern of A + A^T: stored
// row i is row result[i]. Throws FormatError for a matrix that is not square, and in a build without
// SuiteSparse.
Array<std::int32_t> amd_order(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& row_ptr,
                              const Array<std::int32_t>& column);
bool has_amd();

// rcm_order() or amd_order(): FormatOptions::rg_csr_graph_order.
Array<std::int32_t> graph_order(RowOrdering ordering, std::int64_t rows, std::int64_t columns,
                                const Array<std::int32_t>& row_ptr, const Array<std::int32_t>& column);

}  // namespace quadrille::petsc
