// What a result is checked against: a product in double, with a bound for every single row.
#pragma once

#include <cstdint>
#include <limits>

#include "formats/csr.hpp"

namespace quadrille {

struct CheckResult {
  double error_over_bound = 0;  // largest |y - y_ref| over its bound; <= 1 passes
  std::int64_t worst_row = -1;  // -1 for an operator without rows
  double y = 0, y_ref = 0;      // of that row
};

// y_ref = A x and its bound, per row i with k_i entries:
//
//   |y - y_ref|_i <= (2 (k_i + 2) eps + value_error) (|A||x|)_i + k_i tiny
//
// with by how much of itself a stored value may be off (SpmvOperator::value_error(), mostly 0), the epsilon
// of the arithmetic under test and `tiny` its smallest number (products that underflow are off by that much).
// A row without entries must be met exactly. Where (|A||x|)_i overflows the arithmetic under test though
// every product is finite, the order of the sum decides what comes out, and the row is not compared; where
// y_ref is NaN or infinite, y must be NaN or the same infinity.
class Reference {
 public:
  // `csr` holds the values the format holds (for float: rounded to float first), x the vector it is applied
  // to, y_ref their product in double. `csr` and x are not kept.
  // `largest` is the largest number of the arithmetic under test.
  Reference(const Csr<double>& csr, const double* x, Array<double> y_ref,
            double largest = std::numeric_limits<double>::max());

  const Array<double>& y() const { return y_; }
  std::int64_t non_finite_rows() const { return non_finite_rows_; }

  template <class T>
  CheckResult compare(const T* y, double value_error = 0) const;

 private:
  Array<double> y_;
  Array<double> bound_over_eps_;  // 2 (k_i + 2) (|A||x|)_i
  Array<std::int32_t> entries_;   // k_i, or -1 for a row that is not compared
  std::int64_t non_finite_rows_ = 0;
};

}  // namespace quadrille
