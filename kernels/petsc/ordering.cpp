#include "kernels/petsc/ordering.hpp"

#include <petscmat.h>

#include "formats/format.hpp"
#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {

Array<std::int32_t> rcm_order(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& row_ptr,
                              const Array<std::int32_t>& column) {
  require_initialised();
  if (rows != columns)
    throw FormatError("reverse Cuthill-McKee needs a square matrix, not " + std::to_string(rows) + " x " +
                      std::to_string(columns));
  Array<std::int32_t> order(rows);
  if (rows == 0) return order;
  const Array<double> ones(column.size(), 1.0);
  Mat pattern = nullptr, transposed = nullptr;
  IS row_order = nullptr, column_order = nullptr;
  const PetscInt* index = nullptr;
  const PetscInt n = to_index32(rows, "rows");
  QUADRILLE_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, const_cast<PetscInt*>(row_ptr.data()),
                                            const_cast<PetscInt*>(column.data()),
                                            const_cast<double*>(ones.data()), &pattern));
  // PETSc's RCM walks the rows' graph and expects a symmetric one.
  QUADRILLE_PETSC(MatTranspose(pattern, MAT_INITIAL_MATRIX, &transposed));
  QUADRILLE_PETSC(MatAXPY(transposed, 1.0, pattern, DIFFERENT_NONZERO_PATTERN));
  QUADRILLE_PETSC(MatGetOrdering(transposed, MATORDERINGRCM, &row_order, &column_order));
  QUADRILLE_PETSC(ISGetIndices(row_order, &index));
  std::copy(index, index + rows, order.data());
  QUADRILLE_PETSC(ISRestoreIndices(row_order, &index));
  QUADRILLE_PETSC(ISDestroy(&row_order));
  QUADRILLE_PETSC(ISDestroy(&column_order));
  QUADRILLE_PETSC(MatDestroy(&transposed));
  QUADRILLE_PETSC(MatDestroy(&pattern));
  return order;
}

}  // namespace quadrille::petsc
