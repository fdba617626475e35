// Gathered sums on the CPU and on the GPU, against sums by hand.
#include "kernels/gather_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "formats/format.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {
namespace {

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  Array<T> array(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

template <class T>
std::vector<T> vector_of(const Array<T>& array) {
  return {array.begin(), array.end()};
}

template <class T>
std::vector<T> run(SpaceKind space, const GatherSum<>& g, const std::vector<T>& first,
                   const std::vector<T>& second, const std::vector<T>& target, bool add) {
  Array<T> a = array_of(first), b = array_of(second), to = array_of(target);
  const auto size = static_cast<std::int64_t>(first.size());
  if (space == SpaceKind::cpu) {
    cpu::gather_sum(g, TwoArrays<T>{a.data(), size, b.data()}, to.data(), add);
    return vector_of(to);
  }
  const auto device = copy_to<Device>(g);
  const auto a_there = copy_to<Device>(a), b_there = copy_to<Device>(b);
  auto to_there = copy_to<Device>(to);
  cuda::gather_sum({}, device, TwoArrays<T>{a_there.data(), size, b_there.data()}, to_there.data(), add);
  return vector_of(copy_to<Host>(to_there));
}

void hand_computed(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const std::vector<std::int64_t> several{2, 0, 2, -1}, single{2, 0, -1};
  const GatherSum<> g = plan_gather_sum(1, 3, several), h = plan_gather_sum(1, 3, single);
  EXPECT_EQ(vector_of(g.begin), (std::vector<std::int32_t>{0, 1, 1, 3}));
  EXPECT_EQ(vector_of(g.entry), (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(h.begin.size(), 0);
  EXPECT_EQ(vector_of(h.entry), (std::vector<std::int32_t>{1, -1, 0}));
  const std::vector<double> first{1, 10}, second{100, 1000}, old{0.5, 0.25, 0.125};
  EXPECT_EQ(run(space, g, first, second, old, false), (std::vector<double>{10, 0, 101}));
  EXPECT_EQ(run(space, g, first, second, old, true), (std::vector<double>{10.5, 0.25, 101.125}));
  EXPECT_EQ(run(space, h, first, second, old, false), (std::vector<double>{10, 0, 1}));
  EXPECT_EQ(run(space, h, first, second, old, true), (std::vector<double>{10.5, 0.25, 1.125}));
}
TEST(GatherSum, HandComputed) {
  hand_computed(SpaceKind::cpu);
}
TEST(GatherSum, cuda_HandComputed) {
  hand_computed(SpaceKind::cuda);
}

// Sizes across the borders of blocks and of tiles of rows; places counted from elsewhere, some beyond;
// bitwise.
template <class T>
void sums_in_order(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::mt19937 random(7);
  std::uniform_real_distribution<T> value(-1, 1);
  for (const std::int64_t rows : {0, 1, 255, 256, 257, 511, 513, 1200})
    for (const std::int64_t columns : {1, 2, 7})
      for (const int per_place : {0, 1, 3}) {
        SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(rows) + ", " +
                     std::to_string(per_place));
        const std::int64_t places = rows * columns, first_place = 5;
        std::vector<std::int64_t> place;
        if (per_place == 1) {  // at most one each
          for (std::int64_t p = -first_place; p < places + 3; ++p)
            if (random() % 4 != 0) place.push_back(p + first_place);
          std::shuffle(place.begin(), place.end(), random);
        } else {
          for (std::int64_t i = 0; i < places * per_place; ++i)
            place.push_back(static_cast<std::int64_t>(random() % (places + 9)) - 1);
        }
        std::vector<T> first(place.size() / 3), second(place.size() - first.size()), old(places);
        for (auto* const v : {&first, &second, &old})
          for (T& x : *v) x = value(random);
        const GatherSum<> g = plan_gather_sum(columns, rows, place, first_place);
        if (per_place < 2) {
          EXPECT_EQ(g.begin.size(), 0);
        } else if (places > 9) {
          EXPECT_EQ(g.begin.size(), places + 1);
        }
        for (const bool add : {false, true}) {
          std::vector<T> sums(old.size(), 0), expected = old;
          for (std::size_t i = 0; i < place.size(); ++i)
            if (const std::int64_t p = place[i] - first_place; p >= 0 && p < places)
              sums[p] += i < first.size() ? first[i] : second[i - first.size()];
          for (std::size_t p = 0; p < old.size(); ++p) expected[p] = add ? old[p] + sums[p] : sums[p];
          const std::vector<T> got = run(space, g, first, second, old, add);
          ASSERT_EQ(got.size(), expected.size());
          for (std::size_t p = 0; p < got.size(); ++p) ASSERT_EQ(got[p], expected[p]) << "place " << p;
        }
      }
}
TEST(GatherSum, SumsInOrder) {
  sums_in_order<double>(SpaceKind::cpu);
  sums_in_order<float>(SpaceKind::cpu);
}
TEST(GatherSum, cuda_SumsInOrder) {
  sums_in_order<double>(SpaceKind::cuda);
  sums_in_order<float>(SpaceKind::cuda);
}

}  // namespace
}  // namespace quadrille
