// Interpolation that follows an operator with rows that couple with nothing: cells that nothing flows
// through.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pde/diffusion.hpp"
#include "multigrid/operator_transfer.hpp"

namespace quadrille {
namespace {

Array<double> field(const Grid& grid, std::uint64_t seed, double barriers) {
  Array<double> a = log_normal_field(grid, seed, 1, 1e3);
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (signed_unit(counter_hash(seed + 100, i)) < 2 * barriers - 1) a[i] = 0;
  return a;
}

// How many columns of P are independent, by Gram and Schmidt with the longest column left first.
std::int64_t independent(std::vector<std::vector<double>> columns) {
  const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::int64_t rank = 0;; ++rank) {
    std::size_t longest = 0;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (dot(columns[c], columns[c]) > dot(columns[longest], columns[longest])) longest = c;
    if (columns.empty() || dot(columns[longest], columns[longest]) < 1e-10) return rank;
    const std::vector<double> q = columns[longest];
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(longest));
    for (std::vector<double>& c : columns) {
      const double share = dot(c, q) / dot(q, q);
      for (std::size_t i = 0; i < c.size(); ++i) c[i] -= share * q[i];
    }
  }
}

void expect_sound(const Grid& grid, const char* sides, std::uint64_t seed, double barriers) {
  SCOPED_TRACE(to_string(grid) + " " + sides + ", seed " + std::to_string(seed));
  const Boundary boundary = parse_boundary(sides, grid.dimension);
  const bool fixes_nothing = std::string(sides).find("value") == std::string::npos;
  const Stencil star = star_stencil(grid.dimension, 1);
  const DiffusionCoefficients c = diffusion(grid, star, boundary, field(grid, seed, barriers));
  const BlockDiagonals<double> hub = assemble<double>(grid, star, boundary, c.functor()).hub;
  const Csr<double> csr = to_csr(hub);
  const auto p = multigrid_test::operator_transfer(hub, SpaceKind::cpu);
  std::vector<std::vector<double>> columns;
  std::vector<double> sum(static_cast<std::size_t>(p->rows()), 0.0),
      unit(static_cast<std::size_t>(p->columns()), 0.0);
  std::int64_t read = 0;
  for (std::int64_t j = 0; j < p->columns(); ++j) {
    unit[j] = 1;
    std::vector<double>& column = columns.emplace_back(sum.size());
    p->apply(unit.data(), column.data());
    unit[j] = 0;
    double most = 0;
    for (std::size_t i = 0; i < column.size(); ++i)
      sum[i] += column[i], most = std::max(most, std::abs(column[i]));
    read += most > 0;
  }
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    double row_sum = 0, diagonal = 0;
    int beside = 0;
    for (std::int32_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) {
      row_sum += csr.value[k];
      if (csr.column[k] == row) diagonal = csr.value[k];
      beside += csr.column[k] != row && csr.value[k] != 0;
    }
    const bool closed = std::abs(row_sum) <= 1e-13 * diagonal;
    if (beside == 0) {
      EXPECT_EQ(sum[row], 0) << row;
    } else if (closed && fixes_nothing) {
      EXPECT_NEAR(sum[row], 1, 1e-12) << row;
    } else {
      EXPECT_LE(sum[row], 1 + 1e-12) << row;
    }
  }
  EXPECT_EQ(independent(columns), read);
}

TEST(OperatorWeights, WithBarriersKeepConstantsAndIndependentColumns) {
  for (const char* sides : {"clamp", "periodic", "clamp,value:0,value:0,clamp"})
    for (const double barriers : {0.2, 0.45, 0.7})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        expect_sound(parse_grid("13x10"), sides, seed, barriers);
        expect_sound(parse_grid("8x9"), sides, seed, barriers);
      }
  for (const char* sides : {"clamp", "periodic", "clamp,value:0,value:0,clamp,clamp,clamp"})
    for (const double barriers : {0.3, 0.6, 0.8}) expect_sound(parse_grid("7x6x5"), sides, 3, barriers);
}

}  // namespace
}  // namespace quadrille
