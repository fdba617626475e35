// The predicted times: what is known of them without a measurement.
#include "kernels/tuning/predict.hpp"
#include <gtest/gtest.h>

#include "cases.hpp"

namespace quadrille {
namespace {

template <class T>
Sparsity statistics(const Csr<T>& csr, const FormatOptions& options = {}) {
  FormatInput<T> source;
  source.csr = std::make_shared<const Csr<T>>(
      csr_from(csr.rows, csr.columns, to_vector(csr.row_ptr), to_vector(csr.column), to_vector(csr.value)));
  return sparsity_of(source, options);
}

const Prediction& of(const std::vector<Prediction>& all, const std::string& format) {
  for (const Prediction& p : all)
    if (p.format == format) return p;
  throw std::runtime_error("no prediction for " + format);
}

std::vector<MachineModel> machines() {
  return {h200_model(), cpu_model(4, 40, 80, 32 << 20)};
}

BlockStructure star(std::int64_t n, int dof) {
  BlockStructure s;
  s.extents = {n, n, n};
  s.dof = dof;
  s.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return s;
}

TEST(Predict, NamesEveryOwnFormatOnce) {
  std::vector<std::string> own;
  for (const FormatEntry& entry : registry())
    if (!entry.peer && entry.space == SpaceKind::cpu) own.push_back(entry.name);
  const Sparsity s = statistics(paper_matrix<double>());
  for (const MachineModel& machine : machines()) {
    std::vector<std::string> predicted;
    for (const Prediction& p : predict(s, machine, {})) {
      predicted.push_back(p.format);
      EXPECT_EQ(p.refused, "") << p.format;
      EXPECT_GT(p.ms, 0) << p.format;
      EXPECT_EQ(p.bytes_exact, !find_format(p.format).follows_values) << p.format;
      EXPECT_EQ(p.space, machine.space);
    }
    EXPECT_EQ(predicted, own);
  }
}

// A transposed product is predicted for the formats that have one, and for no other.
TEST(Predict, KnowsWhichFormatsTranspose) {
  const Csr<double> csr = paper_matrix<double>();
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(paper_matrix<double>());
  for (const MachineModel& machine : machines())
    for (const Prediction& p : predict(statistics(csr), machine, {}, {true, 1}))
      for (const FormatEntry& entry : registry())
        if (entry.name == p.format && entry.space == SpaceKind::cpu && !entry.peer) {
          EXPECT_EQ(p.refused.empty(), entry.make_fp64(source, {})->has_transpose()) << p.format;
        }
}

TEST(Predict, LargerOperatorsTakeLonger) {
  for (const MachineModel& machine : machines())
    for (const int value_bytes : {4, 8}) {
      std::vector<Prediction> before;
      for (const std::int64_t n : {4, 8, 16, 32, 64, 128}) {
        const std::vector<Prediction> now = predict(sparsity_at_most(star(n, 2), value_bytes), machine, {});
        for (std::size_t i = 0; i < before.size(); ++i)
          if (now[i].refused.empty()) {
            EXPECT_GT(now[i].ms, before[i].ms) << now[i].format << " at " << n;
          }
        before = now;
      }
    }
}

TEST(Predict, MoreUnknownsAndLargerNumbersTakeLonger) {
  for (const MachineModel& machine : machines()) {
    for (int dof = 1; dof < 8; ++dof) {
      const std::vector<Prediction> fewer = predict(sparsity_at_most(star(32, dof), 8), machine, {});
      const std::vector<Prediction> more = predict(sparsity_at_most(star(32, dof + 1), 8), machine, {});
      for (std::size_t i = 0; i < more.size(); ++i) EXPECT_GT(more[i].ms, fewer[i].ms) << more[i].format;
    }
    const std::vector<Prediction> fp32 = predict(sparsity_at_most(star(64, 4), 4), machine, {});
    const std::vector<Prediction> fp64 = predict(sparsity_at_most(star(64, 4), 8), machine, {});
    for (std::size_t i = 0; i < fp64.size(); ++i) EXPECT_GE(fp64[i].ms, fp32[i].ms) << fp64[i].format;
  }
}

// Of every term by itself: more work, or a slower machine, is never faster.
TEST(Predict, IsMonotonousInEveryTerm) {
  for (const MachineModel& machine : machines())
    for (const FormatTraits& format : format_traits()) {
      const FormatConstants constants = machine.space == SpaceKind::cuda ? format.gpu : format.cpu;
      const ProductWork work{1e6, 1e6, 1e5, 1e5, 3, constants.atomic > 0 ? 1e5 : 0};
      const double ms = product_ms(work, constants, machine);
      for (const auto member :
           {&ProductWork::streamed_bytes, &ProductWork::working_set_bytes, &ProductWork::gathered_bytes,
            &ProductWork::entries, &ProductWork::steps, &ProductWork::atomics})
        for (const double factor : {1.01, 3.0, 1e4}) {
          ProductWork more = work;
          more.*member *= factor;
          EXPECT_GE(product_ms(more, constants, machine), ms) << format.name;
        }
      MachineModel slower = machine;
      slower.memory_gbps /= 2;
      slower.cache_gbps /= 2;
      slower.gather_gbps /= 2;
      slower.launch_us *= 2;
      EXPECT_GT(product_ms(work, constants, slower), ms) << format.name;
    }
}

// The form without indices where blocks are dense, others where they are mostly zeros, none that pads for one
// long row.
TEST(Predict, ChoosesByTheStructure) {
  const MachineModel h200 = h200_model();
  const auto best = [&](const Sparsity& s) { return ranked(predict(s, h200, {})).front().format; };
  EXPECT_EQ(best(sparsity_at_most(star(128, 4), 8)), "cds");
  BlockStructure diagonal = star(128, 4);
  diagonal.fill = diagonal_fill(4);
  EXPECT_NE(best(sparsity_at_most(diagonal, 8)), "cds");  // diagonal blocks: cds stores the zeros
  std::vector<std::int64_t> lengths(20000, 5);
  lengths[777] = 15000;
  const std::vector<Prediction> long_row =
      predict(statistics(ragged_matrix<double>(lengths, 20000, false)), h200, {});
  for (const char* format : {"ell", "ellr_t", "rg_csr"})
    if (of(long_row, format).refused.empty()) {
      EXPECT_GT(of(long_row, format).ms, 3 * of(long_row, "csr").ms) << format;
    }
}

// Blocks of bcsr come near the memory's speed for a few sizes only: cds is never far behind, and far ahead
// for large blocks.
TEST(Predict, GridsWithSeveralUnknownsGoToCds) {
  for (const int dof : {4, 6, 8, 12, 16}) {
    FormatOptions options;
    options.block_size = dof;
    const std::vector<Prediction> all =
        predict(sparsity_at_most(star(64, dof), 8, options), h200_model(), options);
    EXPECT_LT(of(all, "cds").ms, of(all, "bcsr").ms) << dof;
  }
}

// Single entries by bcsr are CSR on the CPU.
TEST(Predict, BcsrOfSingleEntriesIsCsrOnTheCpu) {
  const Sparsity s = statistics(paper_matrix<double>());
  const std::vector<Prediction> all = predict(s, cpu_model(1, 20, 40, 32 << 20), {});
  EXPECT_DOUBLE_EQ(of(all, "bcsr").ms, of(all, "csr").ms);
}

TEST(Predict, SeveralVectorsTakeLongerThanOneAndReadCdsOnce) {
  const Sparsity s = sparsity_at_most(star(128, 4), 8);
  const MachineModel h200 = h200_model();
  const std::vector<Prediction> one = predict(s, h200, {}), eight = predict(s, h200, {}, {false, 8});
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_GT(eight[i].ms, one[i].ms) << one[i].format;
  EXPECT_LT(of(eight, "cds").ms, 2.5 * of(one, "cds").ms);
  EXPECT_GT(of(eight, "csr").ms, 6 * of(one, "csr").ms);
}

// 112 columns at most, which are read once for four vectors, but on a GPU by an operator that is too small
// for kernels of its own.
TEST(Predict, SeveralVectorsReadCompactOnce) {
  const FormatTraits& compact = find_format("compact");
  const auto passes = [&](std::int64_t n, SpaceKind space) {
    const Sparsity s = sparsity_at_most(star(n, 4), 8);
    const Traffic traffic = format_bytes("compact", s, {}).traffic;
    const double vectors = static_cast<double>(16 * s.rows);
    return (product_work(compact, s, {false, 8}, traffic, space).streamed_bytes - 8 * vectors) /
           (product_work(compact, s, {}, traffic, space).streamed_bytes - vectors);
  };
  EXPECT_DOUBLE_EQ(passes(64, SpaceKind::cpu), 2);
  EXPECT_DOUBLE_EQ(passes(64, SpaceKind::cuda), 2);
  EXPECT_DOUBLE_EQ(passes(16, SpaceKind::cuda), 8);
}

TEST(Predict, RefusesWhatTheMachineCannotHold) {
  MachineModel small = h200_model();
  small.memory_bytes = 1 << 20;
  for (const Prediction& p : predict(sparsity_at_most(star(64, 2), 8), small, {}))
    EXPECT_NE(p.refused.find("more than"), std::string::npos) << p.format << p.refused;
}

}  // namespace
}  // namespace quadrille
