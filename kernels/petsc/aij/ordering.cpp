#include "kernels/petsc/aij/ordering.hpp"

#include <petscmat.h>

#include "formats/format.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/indices.hpp"

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
  const PetscInt n = to_index32(rows, "rows");
  const PetscIndices begin(row_ptr), columns_of_rows(column);
  const auto pattern = make<Mat>("MatCreateSeqAIJWithArrays", [&](Mat* m) {
    return MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, begin.writable(), columns_of_rows.writable(),
                                     const_cast<double*>(ones.data()), m);
  });
  // PETSc's RCM walks the rows' graph and expects a symmetric one.
  const auto symmetric =
      make<Mat>("MatTranspose", [&](Mat* m) { return MatTranspose(pattern.get(), MAT_INITIAL_MATRIX, m); });
  QUADRILLE_PETSC(MatAXPY(symmetric.get(), 1.0, pattern.get(), DIFFERENT_NONZERO_PATTERN));
  IS row_order = nullptr, column_order = nullptr;
  QUADRILLE_PETSC(MatGetOrdering(symmetric.get(), MATORDERINGRCM, &row_order, &column_order));
  const Handle<IS> rows_handle(row_order), columns_handle(column_order);
  const PetscInt* index = nullptr;
  QUADRILLE_PETSC(ISGetIndices(row_order, &index));
  std::copy(index, index + rows, order.data());
  QUADRILLE_PETSC(ISRestoreIndices(row_order, &index));
  return order;
}

Array<std::int32_t> graph_order(RowOrdering ordering, std::int64_t rows, std::int64_t columns,
                                const Array<std::int32_t>& row_ptr, const Array<std::int32_t>& column) {
  return ordering == RowOrdering::amd ? amd_order(rows, columns, row_ptr, column)
                                      : rcm_order(rows, columns, row_ptr, column);
}

}  // namespace quadrille::petsc
