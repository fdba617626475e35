// A functor of a user's own fills the GPU's memory with the bits of the host.
#include "user_functor.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

Grid user_grid() {
  Grid grid = parse_grid("13x9x7");
  grid.dof = 3;
  return grid;
}

void expect_bits(const Array<double>& found, const Array<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), static_cast<std::size_t>(found.bytes())), 0);
}

template <class Functor>
void expect_the_bits_of_the_host(const Functor& functor) {
  const Grid grid = user_grid();
  for (const char* sides :
       {"clamp,drop,periodic,periodic,value:2,clamp",
        "robin:1,2,3,flux:1/drop/clamp,periodic,periodic,robin:2,3,1/value:2/outflow,clamp"}) {
    const Boundary boundary = parse_boundary(sides, 3);
    for (const Stencil& stencil : {star_stencil(3, 2), box_stencil(3, 1)}) {
      const auto host = assemble<double>(grid, stencil, boundary, functor).hub;
      const auto device = assemble_user_functor_on_device(grid, stencil, boundary, functor);
      expect_bits(copy_to<Host>(device.values), host.values);
      EXPECT_EQ(device.fill, host.fill);
      const Dia<double> expected = dia_from_hub(host),
                        dia = copy_to<Host>(assemble_user_dia_on_device(grid, stencil, boundary, functor));
      EXPECT_TRUE(
          std::equal(dia.offset.begin(), dia.offset.end(), expected.offset.begin(), expected.offset.end()));
      expect_bits(dia.value, expected.value);
    }
  }
}

TEST(UserFunctor, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  expect_the_bits_of_the_host(UserFunctor{0.7});
  expect_the_bits_of_the_host(UserFunctorInFill{{0.7}});
  expect_the_bits_of_the_host(UserResidual{0.7});
}

}  // namespace
}  // namespace quadrille
