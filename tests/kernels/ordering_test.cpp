#include "kernels/petsc/ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/csr.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

std::int64_t bandwidth(const Csr<double>& csr, const std::vector<std::int32_t>& place) {
  std::int64_t widest = 0;
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      widest = std::max<std::int64_t>(widest, std::abs(place[i] - place[csr.column[k]]));
  return widest;
}

// A path of 60 nodes with shuffled numbers: reverse Cuthill-McKee finds the path again.
TEST(Ordering, RcmNarrowsTheBand) {
  const std::int64_t n = 60;
  std::vector<double> dense(static_cast<std::size_t>(n * n), 0.0);
  const auto shuffled = [&](std::int64_t i) { return i * 23 % n; };
  for (std::int64_t i = 0; i < n; ++i) {
    dense[shuffled(i) * n + shuffled(i)] = 2;
    if (i + 1 < n) dense[shuffled(i) * n + shuffled(i + 1)] = dense[shuffled(i + 1) * n + shuffled(i)] = -1;
  }
  const Csr<double> csr = csr_of(n, n, dense);
  const Array<std::int32_t> order = petsc::rcm_order(n, n, csr.row_ptr, csr.column);
  std::vector<std::int32_t> place(static_cast<std::size_t>(n), -1), own(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) place[order[i]] = i, own[i] = i;
  EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);
  EXPECT_GT(bandwidth(csr, own), 10);
  EXPECT_EQ(bandwidth(csr, place), 1);
}

TEST(Ordering, RcmTakesUnsymmetricPatternsAndRefusesRectangles) {
  const Csr<double> csr = random_matrix<double>(50, 50, 3, -1, false, 3);
  Array<std::int32_t> order = petsc::rcm_order(50, 50, csr.row_ptr, csr.column);
  std::sort(order.data(), order.data() + 50);
  for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(order[i], i);
  EXPECT_THROW(petsc::rcm_order(50, 51, csr.row_ptr, csr.column), FormatError);
}

}  // namespace
}  // namespace quadrille
