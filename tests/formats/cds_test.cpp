#include "formats/cds.hpp"

#include "formats/dia.hpp"
#include "gtest/gtest.h"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

// The shape of figure 6 of Godwin et al. 2012: 2x2 blocks on three block diagonals, which are nine scalar
// diagonals. The block of (node, diagonal) has entries 100*node + 10*diagonal + 1, 2 / 3, 4.
TEST(Cds, TheCdsPapersTwoByTwoBlocks) {
  const std::int64_t nodes = 5, rows = 2 * nodes;
  std::vector<double> dense(static_cast<std::size_t>(rows * rows), 0.0);
  for (std::int64_t node = 0; node < nodes; ++node)
    for (int d = 0; d < 3; ++d) {
      const std::int64_t to = node + 2 * (d - 1);
      if (to < 0 || to >= nodes) continue;
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          dense[(2 * node + r) * rows + 2 * to + c] =
              static_cast<double>(100 * node + 10 * d + 2 * r + c + 1);
    }
  const Csr<double> csr = csr_of(rows, rows, dense);
  const BlockDiagonals<double> cds = block_diagonals_from_csr(csr, 2);
  validate(cds);
  EXPECT_EQ(cds.offsets, (std::vector<NodeOffset>{{-2, 0, 0}, {0, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(to_vector(cds.values),
            (std::vector<double>{0,  0,  0,   0,   201, 203, 301, 303, 401, 403,   // offset -2, c = 0
                                 0,  0,  0,   0,   202, 204, 302, 304, 402, 404,   // offset -2, c = 1
                                 11, 13, 111, 113, 211, 213, 311, 313, 411, 413,   // offset  0, c = 0
                                 12, 14, 112, 114, 212, 214, 312, 314, 412, 414,   // offset  0, c = 1
                                 21, 23, 121, 123, 221, 223, 0,   0,   0,   0,     // offset +2, c = 0
                                 22, 24, 122, 124, 222, 224, 0,   0,   0,   0}));  // offset +2, c = 1
  EXPECT_EQ(dia_from_csr(csr).diagonals(), 9);
  EXPECT_TRUE(identical(to_csr(cds), csr));
  EXPECT_EQ(traffic(cds).stored_bytes, 60 * 8 + 3 * 12);
}

TEST(Cds, IsDiaWithOneUnknownPerNode) {
  const BlockDiagonals<double> cds = block_diagonals_from_csr(paper_matrix<double>(), 1);
  EXPECT_EQ(to_vector(cds.values), to_vector(dia_from_csr(paper_matrix<double>()).value));
}

}  // namespace
}  // namespace quadrille
