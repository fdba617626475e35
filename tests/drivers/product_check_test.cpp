// The check of a product on slabs of an operator that is too large as a whole, tried on a small one.
#include "drivers/support/product_check.hpp"

#include <gtest/gtest.h>

#include "grid/error.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/product.hpp"

namespace quadrille {
namespace {

Options parsed(const std::vector<std::string>& arguments) {
  std::string help;
  return *parse_options(arguments, help);
}

TEST(RandomSlabs, AreDisjointAscendingAndHoldBothEnds) {
  for (const std::int64_t lines : {1, 2, 16, 17, 1000, 123457})
    for (const std::int64_t count : {0, 1, 3, 40, 2000000}) {
      const std::vector<LineRange> slabs = random_slabs(lines, count, 14, 7);
      ASSERT_FALSE(slabs.empty());
      EXPECT_EQ(slabs.front().first, 0);
      EXPECT_EQ(slabs.back().first + slabs.back().count, lines);
      EXPECT_TRUE(slabs.size() == 1 || slabs.size() == 16) << slabs.size();
      for (std::size_t i = 1; i < slabs.size(); ++i)
        EXPECT_LE(slabs[i - 1].first + slabs[i - 1].count, slabs[i].first);
    }
  EXPECT_NE(random_slabs(100000, 2, 14, 1)[3].first, random_slabs(100000, 2, 14, 2)[3].first);
}

template <class T>
void check_on_slabs(const std::string& precision) {
  // 20 lines of 65536 rows each: single lines in 16 slabs.
  const Options options = parsed({"spmv", "--grid", "32768x20", "--dof", "2", "--boundary",
                                  "periodic,periodic,drop,drop", "--space", "cpu", "--precision", precision});
  OperatorSource<T> op = load_operator<T>(options);
  const std::vector<T> x = input_vector<T>(options, op.columns);
  std::vector<T> y(static_cast<std::size_t>(op.rows));
  for (const FormatEntry& entry : petsc::all_products())
    if (entry.name == "cds" && entry.space == SpaceKind::cpu)
      entry.make<T>()(op.source, options.format_options)->apply(x.data(), y.data());

  const ProductCheck<T> all(options, op, x);
  EXPECT_EQ(all.rows_checked(), "all rows");
  EXPECT_LE(all.compare(y.data()).error_over_bound, 1);

  op.source.csr.reset();
  const ProductCheck<T> slabs(options, op, x);
  EXPECT_TRUE(slabs.rows_checked().starts_with("1048576 rows in slabs of lines 0, ")) << slabs.rows_checked();
  EXPECT_TRUE(slabs.rows_checked().ends_with(", 19 of 20")) << slabs.rows_checked();
  EXPECT_LE(slabs.compare(y.data()).error_over_bound, 1);
  const std::int64_t last = op.rows - 5;
  y[last] += T(1);
  const CheckResult wrong = slabs.compare(y.data());
  EXPECT_GT(wrong.error_over_bound, 1);
  EXPECT_EQ(wrong.worst_row, last);
}

TEST(ProductCheck, SlabsAgreeWithTheWholeAndSeeAWrongRow) {
  check_on_slabs<double>("fp64");
  check_on_slabs<float>("fp32");
}

template <class T>
void check_products(const std::vector<std::string>& kind, const std::string& precision) {
  std::vector<std::string> arguments{"spmv",    "--grid", "7x6x5",       "--dof",  "3",
                                     "--space", "cpu",    "--precision", precision};
  arguments.insert(arguments.end(), kind.begin(), kind.end());
  const Options options = parsed(arguments);
  const OperatorSource<T> op = load_operator<T>(options);
  const std::vector<T> x = input_vectors<T>(options, op.columns, options.product.vectors);
  const ProductCheck<T> check(options, op, x);
  std::vector<T> y(x.size());
  for (const FormatEntry& entry : petsc::all_products()) {
    if (entry.name != "csr" || entry.space != SpaceKind::cpu) continue;
    const auto made = entry.make<T>()(op.source, options.format_options);
    apply(*made, options.product, x.data(), y.data());
    EXPECT_LE(check.compare(y.data()).error_over_bound, 1);
    const Traffic traffic = traffic_of(*made, options.product);
    EXPECT_EQ(traffic.written_bytes, static_cast<std::int64_t>(y.size() * sizeof(T)));
    EXPECT_EQ(traffic.read_bytes - made->traffic().read_bytes,
              (options.product.vectors - 1) * op.columns * static_cast<std::int64_t>(sizeof(T)));
    y.back() += T(1);
    EXPECT_EQ(check.compare(y.data()).worst_row, op.rows - 1);
  }
}

TEST(ProductCheck, KnowsTransposedProductsAndSeveralVectors) {
  check_products<double>({"--transpose"}, "fp64");
  check_products<float>({"--transpose"}, "fp32");
  check_products<double>({"--vectors", "5"}, "fp64");
  check_products<float>({"--vectors", "5"}, "fp32");
  const Options options = parsed({"spmv", "--grid", "7x6x5", "--transpose", "--space", "cpu"});
  OperatorSource<double> op = load_operator<double>(options);
  op.source.csr.reset();
  EXPECT_THROW(ProductCheck<double>(options, op, std::vector<double>(210, 1.0)), FormatError);
}

}  // namespace
}  // namespace quadrille
