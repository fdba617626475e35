// The small levels in one launch: the cycle is that of a launch for each of their steps, but for the order of
// the sums on the coarsest.
#include "cases.hpp"

namespace quadrille::multigrid_test {
namespace {

TEST(SmallLevels, AreTheirStepsOneByOne_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub operators[] = {
      poisson(grid_of({64, 64, 64}), "value:0"),
      poisson(grid_of({67, 45, 38}), "clamp,value:0,value:0,clamp,value:0,clamp"),
      poisson(grid_of({200, 150, 1}), "value:0"),
      poisson(grid_of({40, 40, 40}), "periodic,periodic,value:0,value:0,value:0,value:0"),
      jumping(grid_of({64, 33, 30}), "value:0", 5),
      jumping(grid_of({96, 70, 1}), "value:0", 5, 10),
      convection(grid_of({32, 24, 28}), "value:0", {1, 2, 0})};
  int round = 0;
  for (const Hub& a : operators)
    for (const CyclePrecision precision : {CyclePrecision::fp32, CyclePrecision::fp64})
      for (const int coarsest : {100, 1000}) {
        SCOPED_TRACE(std::to_string(round++));
        GridMultigridOptions options = down_to(coarsest, precision);
        const Vector b = noise(a.rows(), 5);
        Cycle together(a, options, SpaceKind::cuda);
        options.small_together = false;
        Cycle one_by_one(a, options, SpaceKind::cuda);
        const Vector x = together(b);
        EXPECT_LE(distance(x, one_by_one(b)), precision == CyclePrecision::fp64 ? 1e-14 : 1e-5);
        EXPECT_EQ(x, together(b));
      }
}

}  // namespace
}  // namespace quadrille::multigrid_test
