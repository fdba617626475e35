// y = alpha A x + beta y, the same transposed and of several vectors, and r = b - A x, of every format, space
// and precision: bitwise on integers, and row by row against PETSc's A x.
#include <array>
#include <cmath>
#include <limits>

#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/host_apply.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using OutputTest = RegistryTest;

struct Factors {
  double alpha, beta;
};
// Exact in fp32, and so are their products with small integers.
constexpr std::array<Factors, 9> all_factors{
    {{1, 0}, {1, 1}, {-1, 1}, {0.5, -1}, {1, -2}, {0, 1}, {-1, 0}, {0.5, 0.5}, {0, 0}}};

// Calls body(operator, csr, alpha, beta) for every third of the cases that the entry can hold, other ones of
// integers than of reals; every pair of factors comes up with many kinds of case.
template <class T, class Body>
void for_each_operator(const FormatEntry& entry, bool integer, const Body& body) {
  const std::vector<Case<T>>& cases = all_cases<T>(integer);
  for (std::size_t i = integer ? 0 : 1; i < cases.size(); i += 3) {
    const Case<T>& c = cases[i];
    SCOPED_TRACE(c.name);
    if (refuses(entry, c)) continue;
    FormatOptions options = c.options;
    options.rg_csr_ordering = i % 2 == 0 ? RowOrdering::descending : RowOrdering::none;
    const auto op = entry.make<T>()(c.source, options);
    const Factors& f = all_factors[i / 3 % all_factors.size()];
    SCOPED_TRACE("alpha " + std::to_string(f.alpha) + ", beta " + std::to_string(f.beta));
    body(*op, *c.source.csr, static_cast<T>(f.alpha), static_cast<T>(f.beta));
  }
}

// What y holds before: NaN where it must not be read.
template <class T>
std::vector<T> before(std::int64_t size, bool integer, T beta) {
  if (beta != 0) return test_vector<T>(size, integer, 31);
  return std::vector<T>(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
}

// `y` against alpha times PETSc's A x, of `csr`, plus beta times `start`; exactly where `integer`.
template <class T>
void expect_right(const Csr<T>& csr, const T* x, const std::vector<T>& y, T alpha, T beta,
                  const std::vector<T>& start, bool integer) {
  const Csr<double> a = cast<double>(csr);
  const std::vector<double> x_double(x, x + csr.columns);
  const Reference reference = reference_of(a, x_double.data());
  const double eps = std::numeric_limits<T>::epsilon();
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    double magnitude = 0;
    for (std::int32_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      magnitude += std::abs(a.value[k] * x_double[a.column[k]]);
    const double old = beta != 0 ? static_cast<double>(beta) * start[i] : 0,
                 expected = static_cast<double>(alpha) * reference.y()[i] + old;
    const double entries = a.row_ptr[i + 1] - a.row_ptr[i];
    const double bound =
        eps * (2 * (entries + 2) * std::abs(alpha) * magnitude + 4 * std::abs(old)) * (integer ? 0 : 1);
    ASSERT_LE(std::abs(y[i] - expected), bound)
        << "row " << i << " of " << csr.rows << ": " << y[i] << " for " << expected;
  }
}

TEST_P(OutputTest, AddsAlphaTimesTheProductToBetaTimesY) {
  in_precision(GetParam(), []<class T>() {
    for (const bool integer : {true, false})
      for_each_operator<T>(GetParam().entry(), integer,
                           [&](const SpmvOperator<T>& op, const Csr<T>& csr, T alpha, T beta) {
                             const std::vector<T> x = test_vector<T>(op.columns(), integer, 30),
                                                  start = before(op.rows(), integer, beta);
                             std::vector<T> y = start;
                             host_apply(op, x, y, alpha, beta);
                             expect_right(csr, x.data(), y, alpha, beta, start, integer);
                           });
  });
}

TEST_P(OutputTest, AddsAlphaTimesTheTransposedProductToBetaTimesY) {
  in_precision(GetParam(), []<class T>() {
    for (const bool integer : {true, false})
      for_each_operator<T>(GetParam().entry(), integer,
                           [&](const SpmvOperator<T>& op, const Csr<T>& csr, T alpha, T beta) {
                             if (!op.has_transpose()) return;
                             const std::vector<T> x = test_vector<T>(op.rows(), integer, 30),
                                                  start = before(op.columns(), integer, beta);
                             std::vector<T> y = start;
                             host_apply_transpose(op, x, y, alpha, beta);
                             expect_right(transposed(csr), x.data(), y, alpha, beta, start, integer);
                           });
  });
}

TEST_P(OutputTest, AddsAlphaTimesTheProductsOfSeveralVectors) {
  in_precision(GetParam(), []<class T>() {
    constexpr int count = 7;  // groups of four, two and one
    for_each_operator<T>(
        GetParam().entry(), true, [&](const SpmvOperator<T>& op, const Csr<T>& csr, T alpha, T beta) {
          const std::vector<T> x = test_vector<T>(op.columns() * count, true, 30),
                               start = before(op.rows() * count, true, beta);
          std::vector<T> y = start;
          host_apply_multiple(op, x, y, count, alpha, beta);
          for (int v = 0; v < count; ++v) {
            const auto of = [&](const std::vector<T>& all) {
              return std::vector<T>(all.begin() + v * op.rows(), all.begin() + (v + 1) * op.rows());
            };
            expect_right(csr, x.data() + v * op.columns(), of(y), alpha, beta, of(start), true);
          }
        });
  });
}

// r = b - A x; b and r may be one vector.
template <class T>
void host_residual(const SpmvOperator<T>& op, const std::vector<T>& b, const std::vector<T>& x,
                   std::vector<T>& r) {
  host_apply_detail::Staged<T> from(op.space(), x), right(op.space(), b), to(op.space(), r);
  op.residual({}, &b == &r ? to.data() : right.data(), from.data(), to.data());
  to.fetch();
}

// Into another vector, which holds NaN before, and into b itself.
TEST_P(OutputTest, ResidualIsBMinusTheProduct) {
  in_precision(GetParam(), []<class T>() {
    for (const bool integer : {true, false})
      for_each_operator<T>(GetParam().entry(), integer,
                           [&](const SpmvOperator<T>& op, const Csr<T>& csr, T alpha, T) {
                             if (alpha != 1) return;  // fewer cases
                             const std::vector<T> x = test_vector<T>(op.columns(), integer, 30),
                                                  b = test_vector<T>(op.rows(), integer, 32);
                             std::vector<T> r(b.size(), std::numeric_limits<T>::quiet_NaN()), in_place = b;
                             host_residual(op, b, x, r);
                             expect_right(csr, x.data(), r, T(-1), T(1), b, integer);
                             host_residual(op, in_place, x, in_place);
                             expect_right(csr, x.data(), in_place, T(-1), T(1), b, integer);
                           });
  });
}

INSTANTIATE_TEST_SUITE_P(All, OutputTest, testing::ValuesIn(all_entries()), entry_name);

}  // namespace
}  // namespace quadrille
