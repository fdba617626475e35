// The converted products of CSR and CSC, both ways, against PETSc; and the rule for RgCSR's threads.
#include "kernels/transpose_methods.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/set_up.hpp"
#include "kernels/tuning/rg_csr_rule.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

template <class T>
void expect_agreement(const SpmvOperator<T>& op, const Csr<T>& csr, bool transposing, bool integer) {
  const Csr<T> matrix = transposing ? transposed(csr) : cast<T>(csr);
  const std::vector<T> x = test_vector<T>(matrix.columns, integer, 31);
  std::vector<T> y(static_cast<std::size_t>(matrix.rows), std::numeric_limits<T>::quiet_NaN());
  transposing ? host_apply_transpose(op, x, y) : host_apply(op, x, y);
  const Reference reference =
      reference_of(cast<double>(matrix), std::vector<double>(x.begin(), x.end()).data());
  const CheckResult check = reference.compare(y.data());
  EXPECT_LE(check.error_over_bound, integer ? 0 : 1)
      << (transposing ? "A^T x" : "A x") << ", row " << check.worst_row << ": " << check.y;
}

template <class T>
void both_products_agree(SpaceKind space) {
  for (const FormatEntry& entry : transpose_methods())
    for (const bool integer : {false, true})
      for (const Case<T>& c : matrix_cases<T>(integer)) {
        if (entry.space != space) continue;
        SCOPED_TRACE(entry.name + ", " + c.name);
        const Csr<T>& csr = *c.source.csr;
        const auto op = entry.make<T>()(c.source, c.options);
        ASSERT_EQ(op->rows(), csr.rows);
        ASSERT_EQ(op->columns(), csr.columns);
        EXPECT_TRUE(identical(op->to_csr(), csr));
        for (const bool transposing : {false, true}) {
          if (auto* again = dynamic_cast<SetUp*>(op.get())) again->set_up(transposing);
          expect_agreement(*op, csr, transposing, integer);
        }
      }
}

TEST(TransposeMethods, BothProductsAgreeWithPetsc_cpu) {
  both_products_agree<double>(SpaceKind::cpu);
  both_products_agree<float>(SpaceKind::cpu);
}

TEST(TransposeMethods, BothProductsAgreeWithPetsc_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  both_products_agree<double>(SpaceKind::cuda);
  both_products_agree<float>(SpaceKind::cuda);
}

// CSR and CSC for one product have no plan on the GPU, and both products nevertheless.
template <class T>
void agree_without_a_plan() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const FormatEntry& entry : tested_products())
    for (const bool integer : {false, true}) {
      if (entry.space != SpaceKind::cuda || (entry.name != "csr" && entry.name != "csc")) continue;
      std::vector<Case<T>> cases = matrix_cases<T>(integer);
      for (Case<T>& c : tile_cases<T>(integer)) cases.push_back(std::move(c));
      for (const Case<T>& c : cases)
        for (const bool transposing : {false, true}) {
          SCOPED_TRACE(entry.name + ", " + c.name);
          FormatOptions options = c.options;
          options.products = 1;
          options.of_transpose = transposing;
          const auto op = entry.make<T>()(c.source, options);
          expect_agreement(*op, *c.source.csr, transposing, integer);
        }
    }
}

TEST(TransposeMethods, OneProductWithoutAPlanAgreesWithPetsc_cuda_fp64) {
  agree_without_a_plan<double>();
}

TEST(TransposeMethods, OneProductWithoutAPlanAgreesWithPetsc_cuda_fp32) {
  agree_without_a_plan<float>();
}

TEST(TransposeMethods, AreTheConversions_cpu) {
  std::set<std::string> names;
  for (const FormatEntry& entry : transpose_methods())
    if (entry.space == SpaceKind::cpu) names.insert(entry.name);
  EXPECT_EQ(names, (std::set<std::string>{"csc_converted", "csr_converted"}));
}

TEST(RgCsrThreads, FollowTheRows) {
  EXPECT_EQ(rg_csr_threads(64, 1 << 21, std::int64_t{28} << 21, 28), 1);  // many rows
  EXPECT_EQ(rg_csr_threads(64, 5000, 5000 * 7, 7), 1);                    // short rows
  EXPECT_EQ(rg_csr_threads(64, 5000, 5000 * 28, 28), 4);
  EXPECT_EQ(rg_csr_threads(64, 1000, 1000 * 1000, 1000), 16);  // what a block holds
  EXPECT_EQ(rg_csr_threads(256, 1000, 1000 * 1000, 1000), 4);
  EXPECT_EQ(rg_csr_threads(64, 1 << 20, std::int64_t{6} << 20, 100000),
            4);  // a long row among many short ones
  EXPECT_EQ(rg_csr_threads(256, 1 << 20, std::int64_t{6} << 20, 100000), 2);
  EXPECT_EQ(rg_csr_threads(32, 0, 0, 0), 1);
  for (const int group : {32, 48, 64, 100, 128, 256}) EXPECT_LE(most_rg_csr_threads(group) * group, 1024);
}

}  // namespace
}  // namespace quadrille
