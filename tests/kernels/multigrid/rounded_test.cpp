// Rows in bf16, of large levels on a GPU.
#include "cases.hpp"
#include "kernels/multigrid/rounded_rows.hpp"

namespace quadrille::multigrid_test {
namespace {

using namespace multigrid;

struct Rounded {
  std::vector<Bf16> stored;  // [coupling][row]
  std::vector<float> diagonal, inverse;
  double largest = 0;
  explicit Rounded(const Hub& a) : stored(a.values.size()), diagonal(a.rows()), inverse(a.rows()) {
    const RoundRows round{couplings_of(a), a.values.data(), stored.data(), diagonal.data(), inverse.data()};
    for (std::int64_t row = 0; row < a.rows(); ++row) largest = std::max(largest, round(row));
  }
};

// The box of neighbours with couplings that vary.
Hub varying_box(const Grid& grid) {
  Hub a = poisson(grid, "clamp,value:0,clamp,clamp,value:0,clamp", "box");
  const std::int64_t centre = centre_of(a);
  for (std::int64_t row = 0; row < a.rows(); ++row)
    for (std::int64_t d = 0; d < a.diagonals(); ++d) {
      double& value = a.values[d * a.rows() + row];
      const double more = value * 0.3 * std::sin(1.0 + static_cast<double>(row * 31 + d));
      if (d == centre) continue;
      value += more;
      a.values[centre * a.rows() + row] -= more;
    }
  return a;
}

TEST(RoundRows, KeepsSumsOfRows) {
  const Hub a = varying_box(grid_of({8, 6, 5}, {1, 2, 3}));
  const Rounded rounded(a);
  EXPECT_LT(rounded.largest, 10);
  EXPECT_GT(rounded.largest, 1.5);
  const Couplings s = couplings_of(a);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    double sum = a.values[s.centre * a.rows() + row], stored = rounded.diagonal[row];
    for (int d = 0; d < s.count; ++d) {
      const double value = a.values[s.diagonal[d] * a.rows() + row],
                   now = static_cast<double>(rounded.stored[d * a.rows() + row]);
      EXPECT_NEAR(now, value, std::abs(value) / 256);
      sum += value;
      stored += now;
    }
    EXPECT_NEAR(stored, sum, 1e-6 * rounded.diagonal[row]) << row;
    EXPECT_NEAR(rounded.diagonal[row] * rounded.inverse[row], 1, 1e-6);
  }
}

TEST(RoundRows, SeesWhatDoesNotSuit) {
  const Hub a = varying_box(grid_of({8, 6, 5}));
  const auto with = [&a](int d, double value) {
    Hub other = copy_to<Host>(a);
    other.values[couplings_of(a).diagonal[d] * a.rows() + 101] = value;
    return Rounded(other).largest;
  };
  EXPECT_LT(with(3, 0.001), RoundRows::unfit);
  EXPECT_EQ(with(3, 100), RoundRows::unfit);
  EXPECT_EQ(with(3, std::nan("")), RoundRows::unfit);
  EXPECT_EQ(with(3, -1e-42), RoundRows::unfit);
  EXPECT_FALSE(suits_rounding(couplings_of(a)));  // small
  EXPECT_TRUE(suits_rounding(couplings_of(varying_box(grid_of({64, 64, 64})))));
}

// What is rounded is another operator, near it; M is symmetric as it is.
TEST(RoundedRows, AreNearTheOperator_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = jumping(grid_of({128, 128, 132}), "value:0,clamp,value:0,value:0,value:0,value:0", 5, 4);
  GridMultigridOptions options = in(CyclePrecision::fp32);
  options.interpolation = LevelInterpolation::linear;
  Cycle rounded(a, options, SpaceKind::cuda), exact(a, options);
  const Vector x = noise(a.rows(), 1), y = noise(a.rows(), 2), mx = rounded(x), my = rounded(y);
  EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-6 * norm(mx) * norm(y));
  EXPECT_EQ(rounded(x), mx);
  EXPECT_LE(distance(mx, exact(x)), 1e-2);
  EXPECT_LT(rounded.info().cycle_bytes, exact.info().cycle_bytes * 2 / 3);
  rounded.set_up_again(a, options);
  EXPECT_EQ(rounded(x), mx);
}

}  // namespace
}  // namespace quadrille::multigrid_test
