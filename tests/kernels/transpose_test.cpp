// y = A^T x where a format offers it: against PETSc's MatMult of the transposed matrix.
#include <omp.h>

#include <limits>

#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/host_apply.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using TransposeTest = RegistryTest;

TEST_P(TransposeTest, AgreesWithPetscRowByRowAndIsExactOnIntegers) {
  in_precision(GetParam(), []<class T>() {
    for (const bool integer : {false, true}) {
      for (const Case<T>& c : all_cases<T>(integer)) {
        SCOPED_TRACE(c.name);
        const Csr<T>& csr = *c.source.csr;
        if (refuses(GetParam().entry(), c)) continue;
        FormatOptions options = c.options;
        options.rg_csr_ordering = RowOrdering::none;  // rcm and amd would refuse rectangles
        const auto op = GetParam().entry().make<T>()(c.source, options);
        const std::vector<T> x = test_vector<T>(csr.rows, integer, 8);
        std::vector<T> y(static_cast<std::size_t>(csr.columns), std::numeric_limits<T>::quiet_NaN());
        if (!op->has_transpose()) {
          EXPECT_THROW(op->apply_transpose(x.data(), y.data()), FormatError);
          return;
        }
        host_apply_transpose(*op, x, y);
        if (op->space() == SpaceKind::cpu) {  // the same bits for any number of threads
          std::vector<T> again(y.size(), std::numeric_limits<T>::quiet_NaN());
          const int threads = omp_get_max_threads();
          omp_set_num_threads(3);
          host_apply_transpose(*op, x, again);
          omp_set_num_threads(threads);
          EXPECT_EQ(again, y);
        }
        const std::vector<double> x_double(x.begin(), x.end());
        const Reference reference = reference_of(cast<double>(transposed(csr)), x_double.data());
        const CheckResult check = reference.compare(y.data());
        EXPECT_LE(check.error_over_bound, integer ? 0 : 1)
            << "row " << check.worst_row << ": " << check.y << " for " << check.y_ref;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, TransposeTest, testing::ValuesIn(all_entries()), entry_name);

TEST(Transpose, CsrCscDiaCdsAndThePeersCsrAndCscHaveOne) {
  Case<double> c = matrix_case("5x5", paper_matrix<double>());
  c.options.block_size = 5;
  for (const FormatEntry& entry : tested_products()) {
    if (entry.space == SpaceKind::cuda && cuda::device_count() == 0) continue;
    const bool expected = entry.name == "csr" || entry.name == "compact" || entry.name == "stencil_table" ||
                          entry.name == "csc" || entry.name == "dia" || entry.name == "cds" ||
                          entry.name == "petsc_aij" || entry.name == "petsc_aijcusparse" ||
                          entry.name == "cusparse_csr" || entry.name == "cusparse_csc";
    EXPECT_EQ(entry.make<double>()(c.source, c.options)->has_transpose(), expected) << entry.name;
  }
}

}  // namespace
}  // namespace quadrille
