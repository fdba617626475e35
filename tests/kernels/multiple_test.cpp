// Y = A X of every format, space and precision: the bits of the single products on integers, PETSc's bound on
// reals.
#include <limits>

#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/make_operator.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using MultipleTest = RegistryTest;

constexpr int counts[] = {1, 2, 3, 4, 5, 8, 9, 16};
constexpr int most = 16;

template <class T>
std::vector<T> vector_of(const std::vector<T>& all, std::int64_t size, int v) {
  return {all.begin() + v * size, all.begin() + (v + 1) * size};
}

// Whether small operators have a kernel for several vectors (larger ones of compact and stencil_table on the
// GPU: compact_cuda_test.cpp).
bool multiplies_at_once(const FormatEntry& entry) {
  return entry.space == SpaceKind::cuda ? entry.name == "cds" : entry.name == "compact";
}

// Calls body(case, operator, X of `most` vectors) for the cases that the entry can hold: all where there is a
// kernel for several vectors, every sixteenth where the single product is called in turn.
template <class T, class Body>
void for_each_operator(const FormatEntry& entry, bool integer, const Body& body) {
  const std::vector<Case<T>>& cases = all_cases<T>(integer);
  const std::size_t apart = multiplies_at_once(entry) ? 1 : 16;
  for (std::size_t i = 0; i < cases.size(); i += apart) {
    const Case<T>& c = cases[i];
    SCOPED_TRACE(c.name);
    if (refuses(entry, c)) continue;
    FormatOptions options = c.options;
    options.rg_csr_ordering = RowOrdering::none;  // rcm and amd would refuse rectangles
    const auto op = entry.make<T>()(c.source, options);
    body(c, *op, test_vector<T>(op->columns() * most, integer, 11));
  }
}

// The first `count` vectors' products, from NaN.
template <class T>
std::vector<T> products(const SpmvOperator<T>& op, const std::vector<T>& x, int count) {
  std::vector<T> y(static_cast<std::size_t>(op.rows() * count), std::numeric_limits<T>::quiet_NaN());
  host_apply_multiple(op, vector_of(x, op.columns() * count, 0), y, count);
  return y;
}

TEST_P(MultipleTest, GivesTheBitsOfSingleProductsOnIntegers) {
  in_precision(GetParam(), []<class T>() {
    for_each_operator<T>(
        GetParam().entry(), true, [](const Case<T>&, const SpmvOperator<T>& op, const std::vector<T>& x) {
          std::vector<T> expected;
          for (int v = 0; v < most; ++v) {
            std::vector<T> y(static_cast<std::size_t>(op.rows()), std::numeric_limits<T>::quiet_NaN());
            host_apply(op, vector_of(x, op.columns(), v), y);
            expected.insert(expected.end(), y.begin(), y.end());
          }
          for (const int count : counts)
            EXPECT_EQ(products(op, x, count), vector_of(expected, op.rows() * count, 0))
                << count << " vectors";
          EXPECT_TRUE(products(op, x, 0).empty());
        });
  });
}

TEST_P(MultipleTest, AgreesWithPetscRowByRow) {
  in_precision(GetParam(), []<class T>() {
    int number = 0;
    for_each_operator<T>(GetParam().entry(), false,
                         [&](const Case<T>& c, const SpmvOperator<T>& op, const std::vector<T>& x) {
                           if (number++ % 3 != 0) return;  // sixteen references a case
                           std::vector<Reference> references;
                           const Csr<double> csr = cast<double>(*c.source.csr);
                           const std::vector<double> x_double(x.begin(), x.end());
                           for (int v = 0; v < most; ++v)
                             references.push_back(reference_of(csr, x_double.data() + v * op.columns()));
                           for (const int count : counts) {
                             const std::vector<T> y = products(op, x, count);
                             for (int v = 0; v < count; ++v) {
                               const CheckResult check = references[v].compare(y.data() + v * op.rows());
                               EXPECT_LE(check.error_over_bound, 1)
                                   << "vector " << v << " of " << count << ", row " << check.worst_row << ": "
                                   << check.y << " for " << check.y_ref;
                             }
                           }
                         });
  });
}

// Sums of compact on a CPU are those of single products on reals, too.
TEST(CompactOfSeveralVectors, GivesTheBitsOfSingleProducts) {
  for (std::uint64_t seed = 1; seed <= 24; seed += operators_apart)
    for (const double beta : {0.0, -0.5}) {
      SCOPED_TRACE(seed);
      const auto a =
          make_operator("compact", SpaceKind::cpu,
                        input_of(planted::draw<double>(seed, false, seed % 2 == 0 ? 1 : 4).hub), {});
      const std::vector<double> x = test_vector<double>(a->columns() * most, false, 3),
                                before = test_vector<double>(a->rows() * most, false, 4);
      std::vector<double> y = before;
      host_apply_multiple(*a, x, y, most, 1.5, beta);
      for (int v = 0; v < most; ++v) {
        std::vector<double> of_one = vector_of(before, a->rows(), v);
        host_apply(*a, vector_of(x, a->columns(), v), of_one, 1.5, beta);
        EXPECT_EQ(of_one, vector_of(y, a->rows(), v)) << "vector " << v;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, MultipleTest, testing::ValuesIn(all_entries()), entry_name);

}  // namespace
}  // namespace quadrille
