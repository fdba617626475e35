// What products on the GPU are prepared with: that it is no part of the formats, that options are followed
// and wrong ones refused.
#include "kernels/prepared.hpp"

#include <gtest/gtest.h>

#include "kernels/format_table.hpp"
#include "kernels/make_operator.hpp"
#include "tests/formats/expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

using format_table::prepare;

// What a kernel is launched with, beside arrays and the sizes of their layout.
template <class Format>
concept Launched = requires(Format f) {
  f.plan;
}
|| requires(Format f) {
  f.lanes;
}
|| requires(Format f) {
  f.launch;
}
|| requires(Format f) {
  f.block;
};
// ELLR-T's are of its layout.
template <class Format>
concept HasThreads = requires(Format f) {
  f.threads;
};

template <class Space>
void expect_data_only() {
  EXPECT_FALSE((Launched<Csr<double, Space>>));
  EXPECT_FALSE((Launched<Csc<double, Space>>));
  EXPECT_FALSE((Launched<Bcsr<double, Space>>));
  EXPECT_FALSE((Launched<Cmrs<double, Space>>));
  EXPECT_FALSE((Launched<EllrT<double, Space>>));
  EXPECT_FALSE((Launched<RgCsr<double, Space>> || HasThreads<RgCsr<double, Space>>));
}

TEST(Prepared, IsNoPartOfAFormat) {
  expect_data_only<Host>();
  expect_data_only<Device>();
}

TEST(Prepared, BlocksOfEachKernel) {
  EXPECT_EQ(cmrs_block({}), 128);
  EXPECT_EQ(cmrs_block({.block = 64}), 64);
  EXPECT_EQ(cmrs_block({.kernel = Kernel::paper}), 256);
  EXPECT_EQ(cmrs_block({.kernel = Kernel::paper, .block = 320}), 320);
  EXPECT_EQ(ellr_t_block({}), 256);
  EXPECT_EQ(ellr_t_block({.block = 1024}), 1024);
  for (const int block : {-64, 32, 96, 512})
    expect_refused<FormatError>([&] { cmrs_block({.block = block}); }, {"64, 128 and 256"});
  for (const int block : {-32, 100, 1056})
    expect_refused<FormatError>([&] { cmrs_block({.kernel = Kernel::paper, .block = block}); },
                                {std::to_string(block), "multiples of 32"});
  for (const int block : {-64, 32, 96, 2048})
    expect_refused<FormatError>([&] { ellr_t_block({.block = block}); },
                                {std::to_string(block), "64, 128, 256, 512 or 1024"});
}

// In either space, for the options are wrong whether a GPU is there or not.
TEST(Prepared, FormatsAreNotMadeForOtherBlocks) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(paper_matrix<double>());
  const auto make = [&](const char* format, const FormatOptions& options) {
    make_operator(format, SpaceKind::cpu, source, options);
  };
  expect_refused<FormatError>([&] { make("ellr_t", {.ellr_t_threads = 2, .ellr_t_block = 48}); }, {"48"});
  for (const int height : {0, 2})
    expect_refused<FormatError>([&] { make("cmrs", {.cmrs_height = height, .cmrs_block = 96}); }, {"96"});
}

TEST(Prepared, FollowsTheOptions) {
  const Csr<double> csr = paper_matrix<double>();
  const FormatOptions paper{.kernel = Kernel::paper, .x_cache = CachePath::l2};
  for (const Prepared& none :
       {prepare(csr, {.csr_lanes = 8}), prepare(csr, paper),
        prepare(csr, {.products = 1, .of_transpose = true}), prepare(csc_from_csr(csr), {.products = 1}),
        prepare(bcsr_from_csr(csr, 2), {})})
    EXPECT_EQ(none.segments.group.size(), 0);
  EXPECT_EQ(prepare(csr, {.csr_lanes = 8}).lanes, 8);
  EXPECT_EQ(prepare(csr, paper).kernel, Kernel::paper);
  EXPECT_EQ(prepare(ell_from_csr(csr), paper).cache, CachePath::l2);
  EXPECT_EQ(prepare(ellr_t_from_csr(csr, 2), {.ellr_t_block = 512}).block, 512);
  EXPECT_EQ(prepare(rg_csr_from_csr(csr, 64), {.rg_csr_threads = 4}).lanes, 4);
  EXPECT_EQ(prepare(rg_csr_from_csr(csr, 256), {.rg_csr_threads = 32}).lanes, 4);  // of 1024 in a block
  EXPECT_EQ(prepare(rg_csr_from_csr(csr, 64), {}).lanes, rg_csr_threads(rg_csr_from_csr(csr, 64)));
  const Prepared strips = prepare(
      cmrs_from_csr(csr, 2, false),
      {.kernel = Kernel::paper, .cmrs_block = 64, .cmrs_aligned = false, .cmrs_split = MemorySplit::l1});
  EXPECT_EQ(strips.block, 64);
  EXPECT_FALSE(strips.aligned);
  EXPECT_EQ(strips.split, MemorySplit::l1);
  EXPECT_EQ(strips.segments.group.size(), 0);
}

// Groups of nearly the same size; sums of 128 bytes at most, and no long text.
TEST(Specialised, MultipliesSoManyVectorsAtOnce) {
  EXPECT_EQ(vectors_at_once(1, 256, 7, 8), 8);
  EXPECT_EQ(vectors_at_once(1, 256, 27, 8), 8);
  EXPECT_EQ(vectors_at_once(1, 256, 27, 4), 4);  // four nodes of a thread
  EXPECT_EQ(vectors_at_once(1, 255, 27, 4), 8);  // one
  EXPECT_EQ(vectors_at_once(4, 192, 112, 8), 4);
  EXPECT_EQ(vectors_at_once(8, 128, 112, 8), 2);
  EXPECT_EQ(vectors_at_once(3, 128, 243, 8), 2);
  EXPECT_EQ(vectors_at_once(40, 64, 700, 8), 1);
}

TEST(Specialised, IsCompiledForVectorsOnceWhenItIsAskedFor) {
  std::vector<int> compiled;
  const SpecialisedForVectors several(8, [&](int vectors) {
    compiled.push_back(vectors);
    Specialised made;
    made.launch.alignment = vectors;
    return made;
  });
  const SpecialisedForVectors copy = several;
  EXPECT_TRUE(compiled.empty());
  for (const int vectors : {4, 3, 4, 3}) EXPECT_EQ(copy.of(vectors).launch.alignment, vectors);
  EXPECT_EQ(several.of(4).launch.alignment, 4);
  EXPECT_EQ(compiled, (std::vector<int>{4, 3}));
  EXPECT_EQ(SpecialisedForVectors().most(), 1);
}

}  // namespace
}  // namespace quadrille
