// The check of y = A x against PETSc: every row, or, for an operator that PETSc cannot hold, the rows of some
// slabs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drivers/support/operator_source.hpp"
#include "kernels/petsc/aij/reference.hpp"

namespace quadrille {

template <class T>
class ProductCheck {
 public:
  // Of the product that the options name. With CSR of the whole operator, all rows. Without, slabs of whole
  // lines along x, assembled on the host: the first, the last and fourteen at random (by --seed), together
  // about a million rows. x holds the vectors one after the other. Throws FormatError for a transposed
  // product without CSR. Needs a petsc::Session.
  ProductCheck(const Options& options, const OperatorSource<T>& op, const std::vector<T>& x);

  // y holds the vectors one after the other. worst_row counts from the start of the worst vector.
  CheckResult compare(const T* y, double value_error = 0) const;

  // "all rows", or which.
  const std::string& rows_checked() const { return rows_checked_; }
  std::int64_t non_finite_rows() const;

 private:
  struct Part {
    std::int64_t vector_begin, first_row;
    petsc::Reference reference;
  };
  std::vector<Part> parts_;
  std::string rows_checked_ = "all rows";
};

// Disjoint ranges of `count` lines in ascending order: the first and the last lines, and one at a random
// place in each of `between` equal parts of the lines between; all lines in one range where there are no more
// than that.
std::vector<LineRange> random_slabs(std::int64_t lines, std::int64_t count, int between, std::uint64_t seed);

}  // namespace quadrille
