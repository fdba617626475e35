// Single rows of a shell matrix, which some of PETSc's preconditioners ask for.
#include <algorithm>

#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"

namespace quadrille::petsc {

const Csr<double>& ScaledOperator::rows() {
  if (coupling_) throw FormatError("this shell matrix on several ranks gives no single rows");
  if (!rows_) rows_ = std::make_shared<const Csr<double>>(op_->to_csr());
  return *rows_;
}

ScaledOperator::Row ScaledOperator::row(PetscInt row) {
  const Csr<double>& a = rows();
  const std::int32_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
  const std::int32_t* const columns = a.column.data();
  const ReadArray left(left_.get()), right(right_.get()), diagonal(diagonal_.get());
  row_columns_.assign(columns + begin, columns + end);
  row_values_.clear();
  for (std::int32_t k = begin; k < end; ++k)
    row_values_.push_back(scale_ == 0 ? 0 : scale_ * left.at(row, 1) * a.value[k] * right.at(columns[k], 1));
  if (const double more = shift_ + diagonal.at(row, 0); more != 0) {
    const auto at = std::lower_bound(row_columns_.begin(), row_columns_.end(), row);
    const auto place = row_values_.begin() + (at - row_columns_.begin());
    if (at != row_columns_.end() && *at == row) {
      *place += more;
    } else {
      row_values_.insert(place, more);
      row_columns_.insert(at, row);
    }
  }
  return {static_cast<PetscInt>(row_columns_.size()), row_columns_.data(), row_values_.data()};
}

}  // namespace quadrille::petsc
