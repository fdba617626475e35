#include "formats/stencil_table.hpp"

#include <omp.h>

#include <cmath>

#include "expect_refused.hpp"
#include "tests/matrices.hpp"
#include "tests/planted.hpp"

namespace quadrille {
namespace {

TEST(StencilTable, WorkedExample) {
  const BlockDiagonals<double> hub{{{5, 1, 1}, {}, 1, {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
                                   {0, 1, 1, 1, 3, 2, 2, 2, 5, 5, 1, 1, 1, 3, 0}};
  const StencilTable<double> a = stencil_table_from_hub(hub);
  validate(a);
  EXPECT_EQ(a.stencils, 4);
  EXPECT_EQ(to_vector(a.bytes), (std::vector<std::uint8_t>{0, 1, 1, 2, 3}));
  EXPECT_EQ(to_vector(a.table), (std::vector<double>{0, 2, 1, 1, 2, 1, 1, 5, 3, 3, 5, 0}));
  EXPECT_TRUE(identical(to_csr(a), to_csr(hub)));
  EXPECT_EQ(traffic(a).stored_bytes, 5 + 12 * 8);
}

// Also where every node has its own, and where one bit differs.
TEST(StencilTable, GivesEveryBitBack) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    BlockDiagonals<double> hub = planted::draw<double>(seed).hub;
    const StencilTable<double> a = stencil_table_from_hub(hub);
    validate(a);
    EXPECT_TRUE(planted::same_bits(to_hub(a), hub));
    EXPECT_EQ(a.stencils, count_stencils(hub));
    if (planted::last_value(hub) < 0) continue;
    double& value = hub.values[planted::last_value(hub)];
    value = std::nextafter(value, 1e300);
    EXPECT_TRUE(planted::same_bits(to_hub(stencil_table_from_hub(hub)), hub));
  }
}

BlockDiagonals<double> numbered_nodes(std::int64_t nodes, std::int64_t different) {
  BlockDiagonals<double> hub{{{nodes, 1, 1}, {}, 1, {{0, 0, 0}}}, Array<double>(nodes)};
  for (std::int64_t i = 0; i < nodes; ++i) hub.values[i] = static_cast<double>(1 + i % different);
  return hub;
}

TEST(StencilTable, HasOneByteForAtMost256AndRefusesMoreThan65536) {
  EXPECT_EQ(stencil_table_from_hub(numbered_nodes(3000, 256)).bytes.size(), 3000);
  const StencilTable<double> words = stencil_table_from_hub(numbered_nodes(3000, 257));
  EXPECT_EQ(words.bytes.size(), 0);
  EXPECT_EQ(words.words.size(), 3000);
  EXPECT_EQ(stencil_table_from_hub(numbered_nodes(70000, 65536)).stencils, 65536);
  const BlockDiagonals<double> many = numbered_nodes(70000, 65537);
  EXPECT_GT(count_stencils(many), most_stencils);
  expect_refused<FormatError>([&] { stencil_table_from_hub(many); }, {"more than 65536 different stencils"});
}

TEST(StencilTable, IsTheSameForEveryNumberOfThreads) {
  const BlockDiagonals<double> hub = numbered_nodes(5000, 700);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const StencilTable<double> one = stencil_table_from_hub(hub);
  omp_set_num_threads(7);
  const StencilTable<double> seven = stencil_table_from_hub(hub);
  omp_set_num_threads(threads);
  EXPECT_EQ(to_vector(one.words), to_vector(seven.words));
  EXPECT_EQ(to_vector(one.table), to_vector(seven.table));
}

TEST(StencilTable, RefusesBrokenArrays) {
  StencilTable<double> a = stencil_table_from_hub(numbered_nodes(9, 3));
  a.bytes[4] = 3;
  expect_refused<FormatError>([&] { validate(a); }, {"node 4 has stencil 3 of 3"});
  a = stencil_table_from_hub(numbered_nodes(9, 3));
  a.stencils = 4;
  expect_refused<FormatError>([&] { validate(a); }, {"4 stencils of 1 values do not have 3"});
}

}  // namespace
}  // namespace quadrille
