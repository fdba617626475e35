// What the statistics foretell, against the formats themselves.
#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/tuning/format_bytes.hpp"

namespace quadrille {
namespace {

void expect_equal(const Traffic& foretold, const Traffic& made) {
  EXPECT_EQ(foretold.stored_bytes, made.stored_bytes);
  EXPECT_EQ(foretold.read_bytes, made.read_bytes);
  EXPECT_EQ(foretold.written_bytes, made.written_bytes);
}

// Every format of every case: the same bytes where they are called exact, and refused by both or by neither.
template <class T>
void compare_bytes() {
  int compared = 0, refused = 0;
  for (const Case<T>& c : all_cases<T>(false)) {
    const Sparsity sparsity = sparsity_of(c.source, c.options);
    for (const FormatEntry& entry : registry()) {
      if (entry.peer || entry.space != SpaceKind::cpu) continue;
      SCOPED_TRACE(c.name + ", " + entry.name);
      const FormatBytes bytes = format_bytes(entry.name, sparsity, c.options);
      const bool guessed = (entry.name == "rg_csr" && of_graph(c.options.rg_csr_ordering)) ||
                           (entry.traits->follows_values && !c.source.hub && bytes.refused.empty());
      EXPECT_EQ(bytes.exact, !guessed);
      if (guessed) continue;
      try {
        const Traffic made = entry.make<T>()(c.source, c.options)->traffic();
        EXPECT_EQ(bytes.refused, "");
        expect_equal(bytes.traffic, made);
        ++compared;
      } catch (const FormatError& error) {
        EXPECT_NE(bytes.refused, "") << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(refused, 3);
}

TEST(FormatBytes, AreThoseOfTheFormatInFp64) {
  compare_bytes<double>();
}

TEST(FormatBytes, AreThoseOfTheFormatInFp32) {
  compare_bytes<float>();
}

TEST(FormatBytes, OfAHubWithoutCsrAreKnownForTheFormatsThatNeedNone) {
  for (Case<double>& c : grid_cases<double>(false)) {
    SCOPED_TRACE(c.name);
    const FormatInput<double> whole = c.source;
    c.source.csr.reset();
    const Sparsity s = sparsity_of(c.source, c.options);
    EXPECT_EQ(s.nnz, whole.csr->nnz());
    for (const FormatEntry& entry : registry()) {
      if (entry.peer || entry.space != SpaceKind::cpu) continue;
      const FormatBytes bytes = format_bytes(entry.name, s, c.options);
      if (needs_csr(entry)) {
        EXPECT_NE(bytes.refused, "");
      } else if (bytes.refused.empty()) {
        EXPECT_TRUE(bytes.exact);
        expect_equal(bytes.traffic, entry.make<double>()(c.source, c.options)->traffic());
      } else {
        EXPECT_THROW(entry.make<double>()(c.source, c.options), FormatError);
      }
    }
  }
}

TEST(Sparsity, cuda_OfBlockDiagonalsInGpuMemory) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (Case<double>& c : grid_cases<double>(false)) {
    SCOPED_TRACE(c.name);
    c.source.csr.reset();
    const Sparsity host = sparsity_of(c.source, c.options);
    auto hub = std::make_shared<BlockDiagonals<double, Device>>();
    static_cast<BlockStructure&>(*hub) = *c.source.hub;
    hub->values = copy_to<Device>(c.source.hub->values);
    const bool wraps = std::count(hub->periodic.begin(), hub->periodic.end(), true) > 0;
    FormatInput<double> source;
    source.device_hub = std::move(hub);
    const Sparsity device = sparsity_of(source, c.options);
    EXPECT_TRUE(device.exact);
    EXPECT_EQ(device.nnz, host.nnz);
    if (wraps)
      EXPECT_GE(device.diagonals, host.diagonals);
    else
      EXPECT_EQ(device.diagonals, host.diagonals);
  }
}

TEST(Sparsity, OfTheWorkedExample) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(paper_matrix<double>());
  const Sparsity s = sparsity_of(source, {});
  EXPECT_EQ(s.lengths.shortest, 1);
  EXPECT_EQ(s.lengths.median, 2);
  EXPECT_EQ(s.lengths.longest, 3);
  EXPECT_EQ(s.lengths.empty, 0);
  EXPECT_DOUBLE_EQ(s.lengths.mean, 2);
  EXPECT_DOUBLE_EQ(s.lengths.deviation, std::sqrt(0.4));
  EXPECT_EQ(s.longest_column, 4);
  EXPECT_EQ(s.diagonals, 5);  // -1 .. 3
  EXPECT_EQ(s.blocks, 10);
  EXPECT_EQ(s.hyb_width, 2);
  EXPECT_EQ(s.hyb_beyond, 1);
  EXPECT_EQ(s.warp_steps, 3);
  EXPECT_EQ(s.rg_csr_slots, 15);
  FormatOptions blocks;
  blocks.block_size = 2;
  EXPECT_EQ(sparsity_of(source, blocks).blocks, 6);  // bcsr.hpp
  EXPECT_FALSE(sparsity_of(source, blocks).cds.has_value());
}

// The structure of an operator in GPU memory says nothing of a matrix.
TEST(Sparsity, OfAMatrixIsThatOfItsCsr) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(paper_matrix<double>());
  const BlockStructure none;
  const Sparsity s = sparsity_of(source, {}, &none);
  ASSERT_TRUE(s.cds.has_value());
  EXPECT_EQ(s.cds->diagonals(), 5);
}

// A band reads x side by side, a random matrix a sector for nearly every entry.
TEST(Sparsity, SeesHowFarApartXIsRead) {
  const auto locality = [](const Csr<double>& csr) {
    FormatInput<double> source;
    source.csr = std::make_shared<const Csr<double>>(
        csr_from(csr.rows, csr.columns, to_vector(csr.row_ptr), to_vector(csr.column), to_vector(csr.value)));
    return sparsity_of(source, {}).x;
  };
  std::vector<std::int32_t> ptr{0}, near, far;
  const int n = 4096;
  for (int i = 0; i < n; ++i) {
    for (int e = 0; e < 4; ++e) {
      near.push_back(std::clamp(i - 2, 0, n - 4) + e);
      far.push_back((i * 977 % 1024) + e * 1024);
    }
    ptr.push_back(4 * (i + 1));
  }
  const std::vector<double> ones(near.size(), 1.0);
  const XLocality band = locality(csr_from<double>(n, n, ptr, near, ones));
  const XLocality random = locality(csr_from<double>(n, n, ptr, far, ones));
  EXPECT_LT(band.across_rows, 0.3);
  EXPECT_LT(band.of_block, 0.08);
  EXPECT_GT(random.across_rows, 0.9);
  EXPECT_GT(random.along_rows, 0.9);
  EXPECT_GT(random.of_block, 4 * band.of_block);
}

// Where no block has a zero and no row is cut at a face, the sizes that are foretold are those that come out.
TEST(SparsityAtMost, IsMetByDenseBlocksOnAPeriodicGrid) {
  for (const Grid& grid : {Grid{.dimension = 2, .extents = {9, 8, 1}, .dof = 3},
                           Grid{.dimension = 3, .extents = {5, 6, 7}, .dof = 3}}) {
    Boundary periodic;
    periodic.faces.fill({BoundaryKind::periodic, 0});
    const Case<double> c = grid_case<double>(grid, star_stencil(grid.dimension, 1), periodic, {7, false});
    const Sparsity bound = sparsity_at_most(*c.source.hub, 8, c.options);
    for (const FormatEntry& entry : registry()) {
      if (entry.space != SpaceKind::cpu || entry.peer) continue;
      SCOPED_TRACE(entry.name);
      const FormatBytes foretold = format_bytes(entry.name, bound, c.options);
      const Traffic made = entry.make<double>()(c.source, c.options)->traffic();
      EXPECT_EQ(foretold.exact, entry.name == "cds");
      if (entry.name == "rg_csr")  // its last group is cut
        EXPECT_LE(std::abs(foretold.traffic.stored_bytes - made.stored_bytes), made.stored_bytes / 5);
      else
        EXPECT_EQ(foretold.traffic.stored_bytes, made.stored_bytes);
    }
  }
}

TEST(SparsityAtMost, BoundsEveryFormatOfEveryGrid) {
  for (const Case<double>& c : grid_cases<double>(false)) {
    const Sparsity bound = sparsity_at_most(*c.source.hub, 8, c.options);
    for (const FormatEntry& entry : registry()) {
      if (entry.peer || entry.space != SpaceKind::cpu) continue;
      SCOPED_TRACE(c.name + ", " + entry.name);
      FormatOptions options = c.options;
      if (of_graph(options.rg_csr_ordering)) options.rg_csr_ordering = RowOrdering::none;
      const FormatBytes foretold = format_bytes(entry.name, bound, options);
      if (!foretold.refused.empty()) continue;
      try {
        EXPECT_GE(foretold.traffic.stored_bytes,
                  entry.make<double>()(c.source, options)->traffic().stored_bytes);
      } catch (const FormatError&) {
      }
    }
  }
}

TEST(SparsityAtMost, RefusesWhat32BitIndicesCannotHold) {
  BlockStructure structure;
  structure.extents = {512, 512, 512};
  structure.dof = 8;
  structure.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Sparsity s = sparsity_at_most(structure, 8);
  const std::int64_t cds = format_bytes("cds", s, {}).traffic.stored_bytes;
  EXPECT_EQ(cds, 7ll * 8 * 8 * 512 * 512 * 512 * 8 + 7 * 12);
  EXPECT_GT(format_bytes("dia", s, {}).traffic.stored_bytes, cds);
  EXPECT_NE(format_bytes("csr", s, {}).refused.find("32-bit"), std::string::npos);
}

}  // namespace
}  // namespace quadrille
