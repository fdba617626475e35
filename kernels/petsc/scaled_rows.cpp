// Single rows of a shell matrix, which some of PETSc's preconditioners ask for.
#include <algorithm>

#include "kernels/petsc/petsc_error.hpp"
#include "kernels/petsc/scaled_operator.hpp"
#include "kernels/petsc/vector_arrays.hpp"

namespace quadrille::petsc {

const JoinedRows& ScaledOperator::rows() {
  if (rows_) return *rows_;
  if (coupling_ && !whole_rows_) throw FormatError("this shell matrix on several ranks gives no single rows");
  const auto own_rows = [&] {
    Csr<double> csr = op_->to_csr();
    Array<std::int64_t> columns(csr.nnz());
    std::copy(csr.column.begin(), csr.column.end(), columns.data());
    return JoinedRows{csr.rows, csr.columns, std::move(csr.row_ptr), std::move(columns),
                      std::move(csr.value)};
  };
  rows_ = std::make_shared<const JoinedRows>(whole_rows_ ? whole_rows_() : own_rows());
  return *rows_;
}

ScaledOperator::Row ScaledOperator::row(PetscInt row, PetscInt first) {
  const JoinedRows& a = rows();
  const std::int32_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
  const std::int64_t* const columns = a.column.data();
  if (right_ && coupling_)
    throw FormatError("a shell matrix on several ranks whose columns are scaled gives no single rows");
  const ReadArray left(left_.get()), right(right_.get()), diagonal(diagonal_.get());
  row_columns_.assign(columns + begin, columns + end);
  row_values_.clear();
  for (std::int32_t k = begin; k < end; ++k)
    row_values_.push_back(scale_ == 0 ? 0 : scale_ * left.at(row, 1) * a.value[k] * right.at(columns[k], 1));
  const PetscInt on_diagonal = first + row;
  if (const double more = shift_ + diagonal.at(row, 0); more != 0) {
    const auto at = std::lower_bound(row_columns_.begin(), row_columns_.end(), on_diagonal);
    const auto place = row_values_.begin() + (at - row_columns_.begin());
    if (at != row_columns_.end() && *at == on_diagonal) {
      *place += more;
    } else {
      row_values_.insert(place, more);
      row_columns_.insert(at, on_diagonal);
    }
  }
  return {static_cast<PetscInt>(row_columns_.size()), row_columns_.data(), row_values_.data()};
}

}  // namespace quadrille::petsc
