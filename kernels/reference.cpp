#include "kernels/reference.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace quadrille {

Reference::Reference(const Csr<double>& csr, const double* x, Array<double> y_ref, double largest)
    : y_(std::move(y_ref)), bound_over_eps_(csr.rows), entries_(csr.rows) {
  std::int64_t non_finite = 0;
#pragma omp parallel for schedule(static) reduction(+ : non_finite)
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    double magnitude = 0;
    bool finite = true;
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      finite = finite && std::isfinite(csr.value[k]) && std::isfinite(x[csr.column[k]]);
      magnitude += std::abs(csr.value[k]) * std::abs(x[csr.column[k]]);
    }
    const bool compared = !finite || magnitude <= largest;
    entries_[i] = compared ? csr.row_ptr[i + 1] - csr.row_ptr[i] : -1;
    bound_over_eps_[i] = 2.0 * (csr.row_ptr[i + 1] - csr.row_ptr[i] + 2) * magnitude;
    non_finite += !std::isfinite(y_[i]);
  }
  non_finite_rows_ = non_finite;
}

namespace {

double error_over_bound(double y, double y_ref, double bound) {
  if (!std::isfinite(y_ref)) {
    const bool alike = std::isnan(y_ref) ? std::isnan(y) : y == y_ref;
    return alike ? 0 : std::numeric_limits<double>::infinity();
  }
  const double error = std::abs(y - y_ref);
  if (error == 0) return 0;
  const double ratio = error / bound;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

}  // namespace

template <class T>
CheckResult Reference::compare(const T* y, double value_error) const {
  CheckResult worst;
  for (std::int64_t i = 0; i < y_.size(); ++i) {
    if (entries_[i] < 0) continue;
    const double relative = std::numeric_limits<T>::epsilon() + value_error / (2.0 * (entries_[i] + 2));
    const double bound = bound_over_eps_[i] * relative +
                         entries_[i] * static_cast<double>(std::numeric_limits<T>::denorm_min());
    const double ratio = error_over_bound(y[i], y_[i], bound);
    if (worst.worst_row < 0 || ratio > worst.error_over_bound)
      worst = {ratio, i, static_cast<double>(y[i]), y_[i]};
  }
  return worst;
}

template CheckResult Reference::compare(const float*, double) const;
template CheckResult Reference::compare(const double*, double) const;

}  // namespace quadrille
