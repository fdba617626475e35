#include "formats/dia.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Dia, WorkedExample) {
  const Dia<double> dia = dia_from_csr(paper_matrix<double>());
  validate(dia);
  EXPECT_EQ(to_vector(dia.offset), (std::vector<std::int64_t>{-1, 0, 1, 2, 3}));
  EXPECT_EQ(to_vector(dia.value), (std::vector<double>{0, 0, 0, 7, 0,   //
                                                       1, 3, 5, 8, 10,  //
                                                       0, 0, 0, 9, 0,   //
                                                       0, 0, 6, 0, 0,   //
                                                       2, 4, 0, 0, 0}));
  EXPECT_TRUE(identical(to_csr(dia), paper_matrix<double>()));
}

TEST(Dia, HoldsRectangularMatrices) {
  const Csr<double> wide = csr_of<double>(2, 4, {1, 0, 0, 2, 0, 3, 4, 0});
  const Dia<double> dia = dia_from_csr(wide);
  validate(dia);
  EXPECT_EQ(to_vector(dia.offset), (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_TRUE(identical(to_csr(dia), wide));
}

TEST(Dia, RefusesAbsurdFillAndBrokenArrays) {
  const Csr<double> scattered = random_matrix<double>(700, 700, 2, -1, false, 1);
  expect_refused<FormatError>([&] { dia_from_csr(scattered); }, {"dia would store", "MiB", "KiB"});
  Dia<double> dia = dia_from_csr(paper_matrix<double>());
  dia.value[0] = 1;  // row 0, offset -1: outside the matrix
  expect_refused<FormatError>([&] { validate(dia); }, {"row 0"});
}

}  // namespace
}  // namespace quadrille
