#include "kernels/segment_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace quadrille {
namespace {

Array<std::int32_t> pointers(const std::vector<std::int32_t>& lengths) {
  Array<std::int32_t> ptr(static_cast<std::int64_t>(lengths.size()) + 1);
  ptr[0] = 0;
  std::partial_sum(lengths.begin(), lengths.end(), ptr.data() + 1);
  return ptr;
}

Array<std::int32_t> array_of(const std::vector<std::int32_t>& numbers) {
  Array<std::int32_t> array(static_cast<std::int64_t>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), array.data());
  return array;
}

// Every segment and every entry belongs to one group, in order, and each group keeps what SegmentGroup
// promises.
void expect_complete(const Array<std::int32_t>& ptr, const SegmentPlan<>& plan, int tile, int most_segments) {
  std::int32_t segment = 0, entry = 0, part = 0, split = 0;
  for (const SegmentGroup& group : plan.group) {
    bool whole_segments = true;  // up to here
    ASSERT_EQ(group.begin, entry);
    if (group.count > 0) {
      ASSERT_EQ(group.segment, segment);
      ASSERT_LE(group.count, most_segments);
      ASSERT_LE(group.end - group.begin / 32 * 32, tile);
      segment += group.count;
    } else if (group.count == 0) {
      ASSERT_EQ(group.segment, segment);
      ASSERT_GT(group.end - group.begin / 32 * 32, tile);
      ++segment;
    } else {
      ASSERT_EQ(group.segment, part++);
      ASSERT_EQ(-1 - group.count, split);
      ASSERT_TRUE(group.begin % 32 == 0 || group.begin == ptr[segment]);
      ASSERT_LT(group.begin, group.end);
      const SplitSegment& whole = plan.split[split];
      ASSERT_EQ(whole.segment, segment);
      ASSERT_GE(whole.parts, 2);
      whole_segments = part == whole.first_part + whole.parts;
      if (whole_segments) {
        ++segment;
        ++split;
      }
    }
    entry = group.end;
    if (whole_segments) {
      ASSERT_EQ(entry, ptr[segment]);
    }
  }
  EXPECT_EQ(segment, ptr.size() - 1);
  EXPECT_EQ(split, plan.split.size());
  EXPECT_EQ(plan.parts, part);
}

SegmentPlan<> planned(const std::vector<std::int32_t>& lengths) {
  const Array<std::int32_t> ptr = pointers(lengths);
  SegmentPlan<> plan = plan_segments(ptr, 1024, 128);
  expect_complete(ptr, plan, 1024, 128);
  return plan;
}

TEST(SegmentPlan, ShortSegmentsFillATile) {
  EXPECT_EQ(planned(std::vector<std::int32_t>(1000, 16)).group.size(), 16);  // 64 segments a block
  EXPECT_EQ(planned(std::vector<std::int32_t>(1000, 0)).group.size(), 8);    // 128 segments a block
  EXPECT_EQ(planned({1024, 1024}).group.size(), 2);
  EXPECT_EQ(planned({}).group.size(), 0);
}

TEST(SegmentPlan, ALongSegmentHasFewNeighbours) {
  std::vector<std::int32_t> lengths(300, 2);
  lengths[150] = 600;
  const SegmentPlan<> plan = planned(lengths);
  bool seen = false;
  for (const SegmentGroup& group : plan.group)
    if (group.segment <= 150 && 150 < group.segment + group.count) {
      EXPECT_LE(group.count * 600, 4 * 1024);
      seen = true;
    }
  EXPECT_TRUE(seen);
  EXPECT_LE(plan.group.size(), 5);
}

TEST(SegmentPlan, ALineBeyondTheTileStandsAlone) {
  const SegmentPlan<> plan = planned({3, 1025, 4});
  ASSERT_EQ(plan.group.size(), 3);
  EXPECT_EQ(plan.group[1].count, 0);
  EXPECT_EQ(plan.split.size(), 0);
  EXPECT_EQ(planned({31, 1000, 4}).group[1].count, 0);  // begins 31 entries into a line of 128 bytes
  EXPECT_EQ(planned({32, 1000, 4}).group[0].count, 1);
}

TEST(SegmentPlan, AVeryLongSegmentIsSplitIntoEqualParts) {
  const SegmentPlan<> plan = planned({5, 1000000, 5, 2049, 2000});
  ASSERT_EQ(plan.split.size(), 2);
  EXPECT_EQ(plan.split[0].segment, 1);
  EXPECT_EQ(plan.split[0].parts, (1000005 + 2047) / 2048);
  EXPECT_EQ(plan.split[1].segment, 3);
  EXPECT_EQ(plan.parts, plan.split[0].parts + plan.split[1].parts);
}

TEST(SegmentPlan, LengthsAroundEveryThreshold) {
  for (const int tile : {512, 1024, 2048})
    for (const int tiles : {1, 2, 3, 4, 6})
      for (int offset = 0; offset < 64; offset += 9)
        for (const int more : {-66, -33, -32, -31, -1, 0, 1, 31, 32, 33, 66}) {
          const Array<std::int32_t> ptr = pointers({offset, tiles * tile + more, 0, 40, tiles * tile - more});
          expect_complete(ptr, plan_segments(ptr, tile, 128), tile, 128);
          ASSERT_FALSE(testing::Test::HasFatalFailure())
              << tile << " " << tiles << " " << offset << " " << more;
        }
}

// n unknowns a node, coupled to the nodes beside.
TEST(SegmentPlan, SharedEntriesAreThoseOfTheSegmentBefore) {
  for (const int dof : {1, 2, 4})
    for (const std::int32_t nodes : {3, 400, 40000}) {
      std::vector<std::int32_t> ptr{0}, index;
      for (std::int32_t row = 0; row < nodes * dof; ++row) {
        const std::int32_t node = row / dof;
        for (std::int32_t to = std::max(0, node - 1); to <= std::min(nodes - 1, node + 1); ++to)
          for (int c = 0; c < dof; ++c) index.push_back(to * dof + c);
        ptr.push_back(static_cast<std::int32_t>(index.size()));
      }
      const double shared = shared_entries(array_of(ptr), array_of(index));
      EXPECT_NEAR(shared, (dof - 1 + 2.0 / 3) / dof, nodes == 3 ? 0.3 : 0.02);
      EXPECT_LE(shared, 1);
    }
  EXPECT_EQ(shared_entries(array_of({0}), array_of({})), 0);
  EXPECT_EQ(shared_entries(array_of({0, 2, 2, 4}), array_of({0, 1, 0, 1})), 0);
  EXPECT_EQ(shared_entries(array_of({0, 2, 4}), array_of({0, 5, 3, 5})), 0.5);
}

TEST(SegmentPlan, PartsGrowWithTheMatrix) {
  const std::int32_t dense = 20000;  // 4e8 entries
  const SegmentPlan<> plan = planned(std::vector<std::int32_t>(dense, dense));
  EXPECT_LE(plan.group.size(), std::int64_t{3} * dense);
}

}  // namespace
}  // namespace quadrille
