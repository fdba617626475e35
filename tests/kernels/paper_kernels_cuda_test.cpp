// The kernels of the formats' papers (Kernel::paper): both products, where the paper has two, against PETSc
// row by row and bitwise on integers, for every way of reading x.
#include <gtest/gtest.h>

#include <limits>

#include "cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

const FormatEntry& entry_of(const std::string& name) {
  for (const FormatEntry& entry : tested_products())
    if (entry.name == name && entry.space == SpaceKind::cuda) return entry;
  throw FormatError("no " + name + " on the GPU");
}

template <class T>
void expect_right(const SpmvOperator<T>& op, const Csr<T>& csr, bool transposing, bool integer) {
  const Csr<T> matrix = transposing ? transposed(csr) : cast<T>(csr);
  const std::vector<T> x = test_vector<T>(matrix.columns, integer, 41);
  std::vector<T> y(static_cast<std::size_t>(matrix.rows), std::numeric_limits<T>::quiet_NaN());
  transposing ? host_apply_transpose(op, x, y) : host_apply(op, x, y);
  const Reference reference =
      reference_of(cast<double>(matrix), std::vector<double>(x.begin(), x.end()).data());
  const CheckResult check = reference.compare(y.data());
  EXPECT_LE(check.error_over_bound, integer ? 0 : 1)
      << (transposing ? "A^T x" : "A x") << ", row " << check.worst_row << ": " << check.y << " for "
      << check.y_ref;
}

class PaperKernel : public testing::TestWithParam<const char*> {
 protected:
  template <class T>
  static void agrees() {
    const FormatEntry& entry = entry_of(GetParam());
    int number = 0;
    for (const bool integer : {false, true}) {
      for (Case<T> c : all_cases<T>(integer)) {
        SCOPED_TRACE(c.name);
        if (refuses(entry, c)) continue;
        c.options.kernel = Kernel::paper;
        c.options.x_cache = static_cast<CachePath>(number % 3);
        c.options.cmrs_split = static_cast<MemorySplit>(number++ / 3 % 3);
        if (c.source.csr->rows != c.source.csr->columns) c.options.rg_csr_ordering = RowOrdering::none;
        const auto op = entry.make<T>()(c.source, c.options);
        EXPECT_TRUE(identical(op->to_csr(), *c.source.csr));
        expect_right(*op, *c.source.csr, false, integer);
        if (op->has_transpose()) expect_right(*op, *c.source.csr, true, integer);
      }
    }
    EXPECT_GT(number, 50);
  }
};

TEST_P(PaperKernel, AgreesWithPetsc_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  agrees<double>();
  agrees<float>();
}

// The naive products go both ways; a paper that has no transposed product has none here.
TEST_P(PaperKernel, HasTheTransposeOfItsPaper_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  Case<double> c = matrix_case("5x5", paper_matrix<double>());
  c.options.block_size = 5;
  c.options.kernel = Kernel::paper;
  const std::string name = GetParam();
  EXPECT_EQ(entry_of(name).make<double>()(c.source, c.options)->has_transpose(),
            name == "csr" || name == "csc");
}

INSTANTIATE_TEST_SUITE_P(All, PaperKernel, testing::Values("csr", "csc", "cds", "ellr_t", "rg_csr", "cmrs"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace quadrille
