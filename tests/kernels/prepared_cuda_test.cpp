// One matrix in GPU memory, prepared in several ways: the same product by each of them.
#include <gtest/gtest.h>

#include <limits>

#include "cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/format_table.hpp"
#include "kernels/host_apply.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using format_table::prepare;

// Sums of integers, which no launch changes by a bit: A x and, where the format has it, A^T x by each of
// them, all of one matrix in GPU memory, which they leave as it was.
template <class T, class Format>
void expect_same(const Csr<T>& csr, const Format& host, std::vector<Prepared> ways) {
  using OnDevice = decltype(copy_to<Device>(host));
  const auto format = std::make_shared<const OnDevice>(copy_to<Device>(host));
  const std::vector<T> x = test_vector<T>(csr.columns, true, 7), xt = test_vector<T>(csr.rows, true, 8);
  std::vector<T> first, first_transposed;
  for (Prepared& way : ways) {
    const FormatOperator<OnDevice, T, Device> op(format, std::move(way));
    std::vector<T> y(static_cast<std::size_t>(csr.rows), std::numeric_limits<T>::quiet_NaN());
    host_apply(op, x, y);
    if (first.empty()) first = y;
    EXPECT_EQ(y, first);
    EXPECT_EQ(op.traffic().stored_bytes, traffic(host).stored_bytes);
    EXPECT_TRUE(identical(op.to_csr(), csr));
    if (!op.has_transpose()) continue;
    y.assign(static_cast<std::size_t>(csr.columns), std::numeric_limits<T>::quiet_NaN());
    host_apply_transpose(op, xt, y);
    if (first_transposed.empty()) first_transposed = y;
    EXPECT_EQ(y, first_transposed);
  }
  const std::vector<double> x_double(x.begin(), x.end());
  EXPECT_EQ(reference_of(cast<double>(csr), x_double.data()).compare(first.data()).error_over_bound, 0);
}

template <class... Ways>
std::vector<Prepared> ways(Ways... some) {
  std::vector<Prepared> all;
  (all.push_back(std::move(some)), ...);
  return all;
}

template <class T>
void one_matrix_in_many_ways() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const auto by = [](const Launch& launch) { return Prepared{launch}; };
  const Launch paper{.kernel = Kernel::paper};
  std::vector<std::int64_t> lengths(1500);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i * i % 41);
  const Csr<T> csr = ragged_matrix<T>(lengths, 1700, true);
  expect_same(csr, csr, ways(prepare(csr, {}), by({}), by({.lanes = 1}), by({.lanes = 32}), by(paper)));
  const Csc<T> csc = csc_from_csr(csr);
  expect_same(csr, csc, ways(prepare(csc, {}), by({}), by(paper)));
  const Bcsr<T> bcsr = bcsr_from_csr(csr, 1);
  expect_same(csr, bcsr, ways(prepare(bcsr, {}), by({}), by({.lanes = 4})));
  expect_same(csr, ellr_t_from_csr(csr, 4),
              ways(by({.block = 64}), by({.block = 1024}), by({.kernel = Kernel::paper, .block = 128}),
                   by({.kernel = Kernel::paper, .block = 512, .cache = CachePath::l2})));
  expect_same(csr, rg_csr_from_csr(csr, 32), ways(by({}), by({.lanes = 2}), by({.lanes = 32}), by(paper)));
  const Cmrs<T> cmrs = cmrs_from_csr(csr, 3, true);
  expect_same(csr, cmrs,
              ways(prepare(cmrs, {}), prepare(cmrs, {.cmrs_block = 64}), prepare(cmrs, {.cmrs_block = 256}),
                   prepare(cmrs, {.kernel = Kernel::paper}),
                   prepare(cmrs, {.kernel = Kernel::paper, .cmrs_block = 512, .cmrs_aligned = false})));
}

TEST(Prepared, OneMatrixInManyWays_cuda_fp64) {
  one_matrix_in_many_ways<double>();
}

TEST(Prepared, OneMatrixInManyWays_cuda_fp32) {
  one_matrix_in_many_ways<float>();
}

}  // namespace
}  // namespace quadrille
