// A functor of a user's own fills the GPU's memory with the bits of the host.
#include "user_functor.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

TEST(UserFunctor, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  Grid grid = parse_grid("13x9x7");
  grid.dof = 3;
  const UserFunctor functor{0.7};
  for (const char* sides :
       {"clamp,drop,periodic,periodic,value:2,clamp",
        "robin:1,2,3,flux:1/drop/clamp,periodic,periodic,robin:2,3,1/value:2/outflow,clamp"}) {
    const Boundary boundary = parse_boundary(sides, 3);
    for (const Stencil& stencil : {star_stencil(3, 2), box_stencil(3, 1)}) {
      const auto host = assemble<double>(grid, stencil, boundary, functor).hub;
      const auto device =
          copy_to<Host>(assemble_user_functor_on_device(grid, stencil, boundary, functor).values);
      ASSERT_EQ(device.size(), host.values.size());
      EXPECT_EQ(std::memcmp(device.data(), host.values.data(), static_cast<std::size_t>(device.bytes())), 0);
    }
  }
}

}  // namespace
}  // namespace quadrille
