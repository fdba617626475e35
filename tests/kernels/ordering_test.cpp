#include "kernels/petsc/aij/ordering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "formats/csr.hpp"
#include "kernels/row_order.hpp"
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

// Entries of the Cholesky factor that the pattern of A + A^T has not, when rows are eliminated in this order.
std::int64_t fill_in(const Csr<double>& csr, const Array<std::int32_t>& order) {
  std::vector<std::set<std::int32_t>> neighbours(static_cast<std::size_t>(csr.rows));
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      if (csr.column[k] != i) {
        neighbours[i].insert(csr.column[k]);
        neighbours[csr.column[k]].insert(static_cast<std::int32_t>(i));
      }
  std::int64_t fill = 0;
  for (const std::int32_t gone : order) {
    for (const std::int32_t a : neighbours[gone]) {
      neighbours[a].erase(gone);
      for (const std::int32_t b : neighbours[gone])
        if (a < b && neighbours[a].insert(b).second) {
          neighbours[b].insert(a);
          ++fill;
        }
    }
  }
  return fill;
}

Array<std::int32_t> own_order(std::int64_t rows) {
  Array<std::int32_t> order(rows);
  for (std::int32_t i = 0; i < rows; ++i) order[i] = i;
  return order;
}

TEST(Ordering, AmdFillsNothingOfAnArrowAndLessOfAGrid) {
  if (!petsc::has_amd()) GTEST_SKIP() << "built without SuiteSparse";
  const std::int64_t n = 30;
  std::vector<double> arrow(static_cast<std::size_t>(n * n), 0.0), grid(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) arrow[i] = arrow[i * n] = arrow[i * n + i] = 1;
  for (std::int64_t i = 0; i < n; ++i) {  // 6 x 5 nodes
    grid[i * n + i] = 4;
    if (i % 6 < 5) grid[i * n + i + 1] = grid[(i + 1) * n + i] = -1;
    if (i + 6 < n) grid[i * n + i + 6] = grid[(i + 6) * n + i] = -1;
  }
  const auto filled = [&](const std::vector<double>& dense) {
    const Csr<double> csr = csr_of(n, n, dense);
    return std::pair(fill_in(csr, own_order(n)),
                     fill_in(csr, petsc::amd_order(n, n, csr.row_ptr, csr.column)));
  };
  EXPECT_EQ(filled(arrow), std::pair(std::int64_t{(n - 1) * (n - 2) / 2}, std::int64_t{0}));
  const auto [natural, ordered] = filled(grid);
  EXPECT_LT(4 * ordered, 3 * natural);
  std::vector<double> half = arrow;  // of an unsymmetric pattern A + A^T counts
  for (std::int64_t i = 1; i < n; ++i) half[i] = 0;
  EXPECT_EQ(filled(half), filled(arrow));
}

TEST(Ordering, OfAGraphIsRefusedWithoutWhatMakesIt) {
  const Csr<double> csr = random_matrix<double>(50, 50, 3, -1, false, 3);
  EXPECT_EQ(row_order(csr, RowOrdering::none, nullptr).size(), 0);
  EXPECT_EQ(row_order(csr, RowOrdering::descending, nullptr).size(), 50);
  EXPECT_THROW(row_order(csr, RowOrdering::rcm, nullptr), FormatError);
  const Array<std::int32_t> made = row_order(csr, RowOrdering::rcm, petsc::graph_order),
                            expected = petsc::rcm_order(50, 50, csr.row_ptr, csr.column);
  EXPECT_TRUE(std::equal(made.data(), made.data() + 50, expected.data()));
}

TEST(Ordering, AmdIsAPermutationAndRefusesRectangles) {
  const Csr<double> csr = random_matrix<double>(50, 50, 3, -1, false, 3);
  if (!petsc::has_amd()) {
    EXPECT_THROW(petsc::amd_order(50, 50, csr.row_ptr, csr.column), FormatError);
    return;
  }
  Array<std::int32_t> order = petsc::amd_order(50, 50, csr.row_ptr, csr.column);
  std::sort(order.data(), order.data() + 50);
  for (std::int32_t i = 0; i < 50; ++i) EXPECT_EQ(order[i], i);
  EXPECT_THROW(petsc::amd_order(50, 51, csr.row_ptr, csr.column), FormatError);
  EXPECT_EQ(petsc::amd_order(0, 0, Array<std::int32_t>(1), {}).size(), 0);
}

}  // namespace
}  // namespace quadrille
