// Arrays that go to a GPU in one copy, with the host in its place.
#include "kernels/multigrid/uploads.hpp"

#include <gtest/gtest.h>

#include "kernels/multigrid/on_host.hpp"

namespace quadrille::multigrid_test {
namespace {

using namespace multigrid;

struct HostAsGpu : OnHost {
  static constexpr bool on_gpu = true;
};

template <class T>
Array<T> counted(std::int64_t size, T first) {
  Array<T> made(size);
  for (std::int64_t i = 0; i < size; ++i) made[i] = first + static_cast<T>(i);
  return made;
}
template <class T>
void expect_counted(const Array<T>& made, std::int64_t size, T first) {
  ASSERT_EQ(made.size(), size);
  for (std::int64_t i = 0; i < size; ++i)
    EXPECT_EQ(made[i], first + static_cast<T>(i)) << i << " of " << size;
}

// Around the ends of chunks, of both precisions in turn, and empty ones between them.
template <class Machine>
void expect_all_arrive() {
  Machine machine;
  Uploads<Machine> uploads;
  const std::vector<std::int64_t> sizes{0, 1, 31, 32, 33, 63, 64, 65, 0, 127, 128, 129, 1000, 1};
  std::vector<Array<float>> floats;
  std::vector<Array<double>> doubles;
  for (const std::int64_t size : sizes) {
    floats.push_back(uploads.add(counted<float>(size, 3)));
    doubles.push_back(uploads.add(counted<double>(size, 0.5)));
  }
  uploads.run(machine);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    expect_counted<float>(floats[i], sizes[i], 3);
    expect_counted<double>(doubles[i], sizes[i], 0.5);
  }
}

TEST(Uploads, BringEachArrayToItsPlace) {
  expect_all_arrive<HostAsGpu>();
  expect_all_arrive<OnHost>();
}

TEST(Uploads, OfNothingAreNothing) {
  HostAsGpu machine;
  Uploads<HostAsGpu> none, empty;
  none.run(machine);
  const Array<float> made = empty.add(Array<float>(0));
  empty.run(machine);
  EXPECT_EQ(made.size(), 0);
}

}  // namespace
}  // namespace quadrille::multigrid_test
