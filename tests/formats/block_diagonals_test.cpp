#include "formats/block_diagonals.hpp"

#include <cmath>

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

// 3 x 2 nodes, periodic along x, offsets (-1,0), (0,0), (0,1); the value of (node, offset) is 10*(node + 1) +
// offset.
BlockDiagonals<double> small_hub() {
  BlockDiagonals<double> hub;
  hub.extents = {3, 2, 1};
  hub.periodic = {true, false, false};
  hub.offsets = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}};
  hub.values = {10, 20, 30, 40, 50, 60, 11, 21, 31, 41, 51, 61, 12, 22, 32, 0, 0, 0};
  return hub;
}

TEST(BlockDiagonals, NeighboursWrapAlongPeriodicAxesOnly) {
  const BlockDiagonals<double> hub = small_hub();
  EXPECT_EQ(hub.neighbour(0, 0, 0, {-1, 0, 0}), 2);
  EXPECT_EQ(hub.neighbour(2, 1, 0, {1, 0, 0}), 3);
  EXPECT_EQ(hub.neighbour(1, 1, 0, {-7, 0, 0}), 3);
  EXPECT_EQ(hub.neighbour(1, 1, 0, {0, 1, 0}), -1);
  EXPECT_EQ(hub.neighbour(1, 1, 0, {0, -1, 0}), 1);
}

TEST(BlockDiagonals, CsrByHand) {
  const BlockDiagonals<double> hub = small_hub();
  validate(hub);
  const Csr<double> expected = csr_of<double>(6, 6, {11, 0,  10, 12, 0,  0,   //
                                                     20, 21, 0,  0,  22, 0,   //
                                                     0,  30, 31, 0,  0,  32,  //
                                                     0,  0,  0,  41, 0,  40,  //
                                                     0,  0,  0,  50, 51, 0,   //
                                                     0,  0,  0,  0,  60, 61});
  EXPECT_TRUE(identical(to_csr(hub), expected));
}

TEST(BlockDiagonals, AliasesAndValuesOutsideTheGridAreRefused) {
  BlockDiagonals<double> hub = small_hub();
  hub.values[17] = 1;  // node 5 has no neighbour at (0, 1)
  expect_refused<FormatError>([&] { validate(hub); }, {"row 5"});
  hub = small_hub();
  hub.offsets[2] = {2, 0, 0};  // on three periodic nodes the same as -1
  expect_refused<FormatError>([&] { validate(hub); }, {"(2, 0, 0)"});
  hub = small_hub();
  hub.dof = 2;
  expect_refused<FormatError>([&] { validate(hub); }, {"2 DoF"});
}

TEST(BlockDiagonals, FromCsrAndBack) {
  const BlockDiagonals<double> hub = block_diagonals_from_csr(paper_matrix<double>(), 1);
  validate(hub);
  EXPECT_EQ(hub.diagonals(), 5);
  EXPECT_TRUE(identical(to_csr(hub), paper_matrix<double>()));
  expect_refused<FormatError>([] { block_diagonals_from_csr(paper_matrix<double>(), 2); }, {"2", "5 rows"});
  expect_refused<FormatError>([] { block_diagonals_from_csr(csr_of<double>(1, 2, {1, 1}), 1); }, {"1 x 2"});
  const Csr<double> scattered = random_matrix<double>(700, 700, 2, -1, false, 1);
  expect_refused<FormatError>([&] { block_diagonals_from_csr(scattered, 1); }, {"cds would store", "KiB"});
}

TEST(BlockDiagonals, SizesThatOverflowAreRefusedByName) {
  BlockStructure huge;
  huge.extents = {std::int64_t{1} << 30, std::int64_t{1} << 30, 1};
  huge.offsets = {{0, 0, 0}, {1, 0, 0}};
  huge.dof = 1;
  EXPECT_EQ(value_bytes(huge, 2), std::int64_t{1} << 62);
  huge.extents = {std::int64_t{1} << 31, std::int64_t{1} << 31, 4};  // whose product wraps to zero
  expect_refused<FormatError>([&] { value_bytes(huge, 8); }, {"64 bits"});
  huge.extents = {std::int64_t{1} << 30, std::int64_t{1} << 30, 1};
  expect_refused<FormatError>([&] { value_bytes(huge, 8); },
                              {"2 block diagonals", "1073741824x1073741824x1 nodes"});
}

TEST(BlockDiagonals, ExactZerosAreLeftOutOfCsrAndNanIsKept) {
  BlockDiagonals<double> hub = small_hub();
  hub.values[6] = 0;
  hub.values[7] = std::nan("");
  EXPECT_EQ(to_csr(hub).nnz(), 14);
}

// 3 nodes on a line with two unknowns, which couple to themselves beside the centre; one value there is 0.
BlockDiagonals<double> hub_with_fill() {
  BlockDiagonals<double> hub;
  hub.extents = {3, 1, 1};
  hub.dof = 2;
  hub.offsets = {{0, 0, 0}, {1, 0, 0}};
  hub.fill = diagonal_fill(2);
  hub.fill.centre = {1, 1, 0, 1};
  hub.values = {1, 0, 2, 0, 3, 0, 4, 5, 6, 7, 0, 8, 9, 0, 0, 0, 0, 0, 0, 10, 0, 11, 0, 0};
  return hub;
}

TEST(BlockDiagonals, TheFillSaysWhatCsrKeeps) {
  BlockDiagonals<double> hub = hub_with_fill();
  validate(hub);
  const Csr<double> csr = to_csr(hub);
  EXPECT_EQ(to_vector(csr.row_ptr), (std::vector<std::int32_t>{0, 3, 5, 8, 10, 12, 13}));
  EXPECT_EQ(to_vector(csr.column), (std::vector<std::int32_t>{0, 1, 2, 1, 3, 2, 3, 4, 3, 5, 4, 5, 5}));
  EXPECT_EQ(to_vector(csr.value), (std::vector<double>{1, 4, 9, 5, 10, 2, 6, 0, 7, 11, 3, 0, 8}));
  EXPECT_EQ(most_non_zeros(hub), csr.nnz());
  EXPECT_EQ(coupled_pairs(hub), 5);
  hub.fill = {};
  EXPECT_EQ(to_csr(hub).nnz(), 11);
  EXPECT_EQ(most_non_zeros(hub), 20);
}

TEST(BlockDiagonals, ValuesOutsideTheFillAreRefused) {
  BlockDiagonals<double> hub = hub_with_fill();
  hub.values[3] = 1;  // row 3, column 2
  expect_refused<FormatError>([&] { validate(hub); }, {"row 3", "fill"});
  EXPECT_EQ(to_csr(hub).nnz(), 14) << "it is not left out in silence";
  hub = hub_with_fill();
  hub.fill.beside.pop_back();
  expect_refused<FormatError>([&] { validate(hub); }, {"2 x 2", "4 entries", "3 beside"});
  hub = hub_with_fill();
  hub.fill.centre[3] = 0;
  expect_refused<FormatError>([&] { validate(hub); }, {"diagonal of unknown 1"});
}

}  // namespace
}  // namespace quadrille
