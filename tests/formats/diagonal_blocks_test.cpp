#include "formats/diagonal_blocks.hpp"

#include <gtest/gtest.h>

#include "tests/matrices.hpp"

namespace quadrille {
namespace {

std::vector<double> values(const Array<double>& a) {
  return {a.begin(), a.end()};
}

using Values = std::vector<double>;

TEST(DiagonalBlocks, OfCsrByHand) {
  const Csr<double> csr = paper_matrix<double>();
  EXPECT_EQ(values(diagonal_blocks(csr, 1)), (Values{1, 3, 5, 8, 10}));
  // 1 . / . 3,  then 5 . 6 / 7 8 9 / . . 10, each [column][row]
  const std::vector<std::int32_t> sizes{2, 3};
  EXPECT_EQ(values(diagonal_blocks(csr, sizes)), (Values{1, 0, 0, 3, 5, 7, 0, 0, 8, 0, 6, 9, 10}));
  EXPECT_EQ(diagonal_blocks(csr, 5).size(), 25);
}

TEST(DiagonalBlocks, OfTheHubAreThoseOfItsCsr) {
  BlockDiagonals<double> hub;
  hub.extents = {3, 2, 1};
  hub.dof = 6;
  hub.offsets = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}};
  hub.values = Array<double>(3 * 6 * hub.rows(), 0.0);
  for (std::int64_t i = 6 * hub.rows(); i < 2 * 6 * hub.rows(); ++i) hub.values[i] = static_cast<double>(i);
  const Csr<double> csr = to_csr(hub);
  for (const int size : {1, 2, 3, 6})
    EXPECT_EQ(values(diagonal_blocks(hub, size)), values(diagonal_blocks(csr, size))) << size;
  EXPECT_THROW(diagonal_blocks(hub, 4), FormatError);
  EXPECT_THROW(diagonal_blocks(hub, 0), FormatError);
  hub.offsets[1] = {1, 0, 0};  // no centre
  EXPECT_EQ(values(diagonal_blocks(hub, 1)), Values(static_cast<std::size_t>(hub.rows()), 0.0));
}

TEST(DiagonalBlocks, WrongSizesAreRefused) {
  const Csr<double> csr = paper_matrix<double>();
  EXPECT_THROW(diagonal_blocks(csr, 2), FormatError);
  EXPECT_THROW(diagonal_blocks(csr, 0), FormatError);
  for (const std::vector<std::int32_t>& sizes : {std::vector<std::int32_t>{2, 2}, {5, 0}, {6, -1}})
    EXPECT_THROW(diagonal_blocks(csr, sizes), FormatError);
  EXPECT_THROW(diagonal_blocks(csr_of<double>(1, 2, {1, 2}), 1), FormatError);
}

}  // namespace
}  // namespace quadrille
