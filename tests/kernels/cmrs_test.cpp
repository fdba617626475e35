// CMRS with the rows in an array of their own, which the registry builds only for more than 2^28 columns.
#include "formats/cmrs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu/spmv.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(CmrsProduct, SeparateRowsGiveTheSameBitsAsPackedOnes) {
  const Csr<double> csr = random_matrix<double>(101, 90, 7, 40, false, 4);
  const std::vector<double> x(90, 0.3);
  for (int height = 1; height <= 16; ++height) {
    std::vector<double> packed(101, std::nan("")), separate(101, std::nan(""));
    cpu::spmv(cmrs_from_csr(csr, height, true), x.data(), {packed.data()});
    cpu::spmv(cmrs_from_csr(csr, height, true, CmrsRows::separate), x.data(), {separate.data()});
    EXPECT_EQ(packed, separate) << height;
  }
}

}  // namespace
}  // namespace quadrille
