// y = A x of every format, space and precision: against PETSc row by row, bitwise on integers, from NaN,
// twice the same; and the way back to CSR.
#include "kernels/registry.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/make_operator.hpp"
#include "kernels/tuning/format_bytes.hpp"
#include "kernels/tuning/sparsity.hpp"
#include "tests/formats/expect_refused.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

template <class T>
std::vector<T> product(const SpmvOperator<T>& op, const std::vector<T>& x) {
  std::vector<T> y(static_cast<std::size_t>(op.rows()), std::numeric_limits<T>::quiet_NaN());
  host_apply(op, x, y);
  return y;
}

// Calls body(case, operator) for every case the entry can hold, and sees that it refuses the others by a
// typed error.
template <class T, class Body>
void for_each_operator(const FormatEntry& entry, bool integer, const Body& body) {
  for (const Case<T>& c : all_cases<T>(integer)) {
    SCOPED_TRACE(c.name);
    if (refuses(entry, c)) {
      EXPECT_THROW(entry.make<T>()(c.source, c.options), FormatError);
      continue;
    }
    FormatOptions options = c.options;
    if (c.source.csr->rows != c.source.csr->columns && of_graph(options.rg_csr_ordering))
      options.rg_csr_ordering = RowOrdering::none;
    body(c, *entry.make<T>()(c.source, options));
  }
}

TEST_P(RegistryTest, AgreesWithPetscRowByRow) {
  in_precision(GetParam(), []<class T>() {
    for_each_operator<T>(GetParam().entry(), false, [](const Case<T>& c, const SpmvOperator<T>& op) {
      const Csr<T>& csr = *c.source.csr;
      ASSERT_EQ(op.rows(), csr.rows);
      ASSERT_EQ(op.columns(), csr.columns);
      const std::vector<T> x = test_vector<T>(csr.columns, false, 5);
      const std::vector<double> x_double(x.begin(), x.end());
      const Reference reference = reference_of(cast<double>(csr), x_double.data());
      const CheckResult check = reference.compare(product(op, x).data());
      EXPECT_LE(check.error_over_bound, 1)
          << "row " << check.worst_row << ": " << check.y << " for " << check.y_ref;
    });
  });
}

TEST_P(RegistryTest, IsBitwiseExactOnIntegers) {
  in_precision(GetParam(), []<class T>() {
    for_each_operator<T>(GetParam().entry(), true, [](const Case<T>& c, const SpmvOperator<T>& op) {
      const Csr<T>& csr = *c.source.csr;
      const std::vector<T> x = test_vector<T>(csr.columns, true, 6), y = product(op, x);
      for (std::int64_t i = 0; i < csr.rows; ++i) {
        double sum = 0;
        for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
          sum += static_cast<double>(csr.value[k]) * static_cast<double>(x[csr.column[k]]);
        ASSERT_EQ(y[i], static_cast<T>(sum)) << "row " << i;
      }
    });
  });
}

TEST_P(RegistryTest, GoesBackToTheSameCsr) {
  in_precision(GetParam(), []<class T>() {
    for_each_operator<T>(GetParam().entry(), false, [](const Case<T>& c, const SpmvOperator<T>& op) {
      const Csr<T> back = op.to_csr();
      validate(back);
      EXPECT_TRUE(identical(back, *c.source.csr));
    });
  });
}

// CSC on the GPU scatters by atomic additions, whose order varies, and cuSPARSE promises its fastest CSR,
// which PETSc takes too, no more.
TEST_P(RegistryTest, GivesTheSameBitsEveryTimeAndForEveryThreadCount) {
  const FormatEntry& tested = GetParam().entry();
  const bool atomics =
      tested.traits != nullptr && tested.space == SpaceKind::cuda && tested.traits->gpu_adds_atomically;
  if (atomics || tested.name == "cusparse_csr" || tested.name == "cusparse_csc" ||
      tested.name == "petsc_aijcusparse")
    GTEST_SKIP() << "atomics";
  in_precision(GetParam(), []<class T>() {
    const int threads = omp_get_max_threads();
    for_each_operator<T>(GetParam().entry(), false, [&](const Case<T>& c, const SpmvOperator<T>& op) {
      const std::vector<T> x = test_vector<T>(c.source.csr->columns, false, 7), once = product(op, x);
      for (const int count : {threads, 1, 3}) {
        omp_set_num_threads(count);
        const std::vector<T> again = product(op, x);
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(once)), std::as_bytes(std::span(again))))
            << count << " threads";
      }
      omp_set_num_threads(threads);
    });
  });
}

TEST_P(RegistryTest, TrafficCoversTheNonZerosAndBothVectors) {
  in_precision(GetParam(), []<class T>() {
    const FormatTraits* const traits = GetParam().entry().traits;
    const bool leaves_out = traits != nullptr && traits->follows_values;
    for_each_operator<T>(GetParam().entry(), false, [&](const Case<T>& c, const SpmvOperator<T>& op) {
      const Traffic traffic = op.traffic();
      const std::int64_t value = sizeof(T), least = leaves_out ? 0 : c.source.csr->nnz();
      EXPECT_GE(traffic.stored_bytes, least * value);
      EXPECT_GE(traffic.read_bytes, (least + op.columns()) * value);
      EXPECT_LE(traffic.read_bytes, traffic.stored_bytes + op.columns() * value);
      EXPECT_EQ(traffic.written_bytes, op.rows() * value);
    });
  });
}

// NaN and Inf are computed with as they are, and padding does not spread them.
TEST_P(RegistryTest, NanInTheMatrixReachesItsRowAndNoOther) {
  in_precision(GetParam(), []<class T>() {
    const FormatEntry& entry = GetParam().entry();
    Csr<T> csr = random_matrix<T>(70, 70, 5, -1, true, 11);
    csr.value[csr.row_ptr[21]] = std::numeric_limits<T>::quiet_NaN();
    csr.value[csr.row_ptr[22]] = std::numeric_limits<T>::infinity();
    Case<T> c = matrix_case("NaN", std::move(csr));
    c.options.block_size = 2;
    const std::vector<T> x(70, T(1)), y = product(*entry.make<T>()(c.source, c.options), x);
    ASSERT_GT(c.source.csr->row_ptr[22], c.source.csr->row_ptr[21]);
    ASSERT_GT(c.source.csr->row_ptr[23], c.source.csr->row_ptr[22]);
    for (std::int64_t i = 0; i < 70; ++i) {
      EXPECT_EQ(std::isnan(y[i]), i == 21) << i;
      EXPECT_EQ(std::isinf(y[i]), i == 22) << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, RegistryTest, testing::ValuesIn(all_entries()), entry_name);

// y = A x by hand: the 5x5 matrix of the CMRS paper, and 1D-like diffusion with two unknowns on 3 x 2 nodes.
TEST_P(RegistryTest, GivesWhatAHandGives) {
  in_precision(GetParam(), []<class T>() {
    const FormatEntry& entry = GetParam().entry();
    Case<T> paper = matrix_case("5x5", paper_matrix<T>());
    paper.options.block_size = 5;
    EXPECT_EQ(product(*entry.make<T>()(paper.source, paper.options), std::vector<T>{1, 2, 3, 4, 5}),
              (std::vector<T>{9, 26, 45, 98, 50}));

    // Offsets (0,0) with block 2 1 / 0 3 and (1,0) with block -1 0 / 0 -1; x counts from 1.
    BlockDiagonals<T> hub;
    hub.extents = {3, 2, 1};
    hub.dof = 2;
    hub.offsets = {{0, 0, 0}, {1, 0, 0}};
    hub.values = {
        2,  0,  2,  0,  2, 0, 2,  0,  2,  0,  2, 0,   // (0,0), c = 0
        1,  3,  1,  3,  1, 3, 1,  3,  1,  3,  1, 3,   // (0,0), c = 1
        -1, 0,  -1, 0,  0, 0, -1, 0,  -1, 0,  0, 0,   // (1,0), c = 0: none from the last node of a line
        0,  -1, 0,  -1, 0, 0, 0,  -1, 0,  -1, 0, 0};  // (1,0), c = 1
    Case<T> grid{"by hand", {}, {}, false};
    grid.source.csr = std::make_shared<const Csr<T>>(to_csr(hub));
    grid.source.hub = std::make_shared<const BlockDiagonals<T>>(std::move(hub));
    EXPECT_EQ(
        product(*entry.make<T>()(grid.source, {}), std::vector<T>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
        (std::vector<T>{1, 2, 5, 6, 16, 18, 13, 14, 17, 18, 34, 36}));
  });
}

TEST(Registry, NamesAreUniqueWithinASpaceAndSummariesAreThere) {
  for (const FormatEntry& a : tested_products()) {
    int same = 0;
    for (const FormatEntry& b : tested_products()) same += a.name == b.name && a.space == b.space;
    EXPECT_EQ(same, 1) << a.name;
    EXPECT_FALSE(a.summary.empty()) << a.name;
    EXPECT_TRUE(a.make_fp64) << a.name;
  }
}

TEST(Registry, HoldsEveryFormatOnTheCpuAndNoOther) {
  for (const char* name : {"csr", "csc", "coo", "bcsr", "dia", "cds", "ell", "ellr_t", "rg_csr", "cmrs",
                           "hyb", "compact", "stencil_table"})
    EXPECT_TRUE(has_format(name, SpaceKind::cpu)) << name;
  for (const FormatTraits& format : format_traits()) {
    ASSERT_TRUE(has_format(format.name, SpaceKind::cpu)) << format.name;
    EXPECT_EQ(find_format(format.name, SpaceKind::cpu).traits, &format);
  }
  for (const FormatEntry& entry : tested_products())
    EXPECT_EQ(entry.traits == nullptr, entry.peer) << entry.name;
}

// What is described of a format is there, and true of its operators.
TEST(FormatTraits, AreThereForEveryFormatAndTrue) {
  const Case<double> c =
      grid_case<double>({.extents = {5, 4, 3}, .dof = 2}, star_stencil(3, 1), {}, RandomBlocks{1, true});
  const Sparsity s = sparsity_of(c.source, c.options);
  for (const FormatEntry& entry : tested_products()) {
    if (entry.peer) continue;
    SCOPED_TRACE(entry.name);
    const FormatTraits& traits = *entry.traits;
    EXPECT_EQ(&find_format(entry.name), &traits);
    EXPECT_EQ(entry.name, traits.name);
    EXPECT_EQ(entry.summary, traits.summary);
    EXPECT_FALSE(traits.summary.empty());
    ASSERT_NE(traits.bytes, nullptr);
    ASSERT_NE(traits.gpu_work, nullptr);
    ASSERT_NE(traits.cpu_entries, nullptr);
    EXPECT_GT(traits.bytes(s, c.options).traffic.stored_bytes, 0);
    EXPECT_GT(traits.gpu_work(s, traits.bytes(s, c.options).traffic).entries, 0);
    EXPECT_GT(traits.cpu_entries(s), 0);
    EXPECT_GT(traits.gpu.entry_ps + traits.gpu.step_us, 0);  // measured
    EXPECT_GT(traits.cpu.entry_ps, 0);
    EXPECT_EQ(traits.gpu_transposed.has_value(), traits.has_transpose);
    EXPECT_EQ(traits.cpu_transposed.has_value(), traits.has_transpose);
    EXPECT_EQ(traits.planned_segments != nullptr || traits.compressed == Compressed::no, true);
    EXPECT_EQ(find_format(traits.transposes_like).transposes_like, traits.name);
    if (entry.space == SpaceKind::cuda && cuda::device_count() == 0) continue;
    EXPECT_EQ(entry.make_fp64(c.source, c.options)->has_transpose(), traits.has_transpose);
    if (needs_csr(traits)) continue;
    FormatInput<double> hub_alone;
    hub_alone.hub = c.source.hub;
    EXPECT_EQ(entry.make_fp64(hub_alone, c.options)->rows(), c.source.csr->rows);
  }
}

TEST(Registry, AFormatThatIsNotThereIsRefusedWithTheNames) {
  expect_refused<FormatError>([] { find_format("crs", SpaceKind::cpu); },
                              {"there is no format 'crs'; there are csr, csc, ", "; did you mean 'csr'?"});
  expect_refused<FormatError>([] { find_format("zzz", SpaceKind::cuda, {}); }, {"no format 'zzz'"});
  const std::vector<FormatEntry> on_cpu{find_format("cds", SpaceKind::cpu)};
  expect_refused<FormatError>([&] { find_format("cds", SpaceKind::cuda, on_cpu); },
                              {"format cds has no product on a GPU in this build"});
}

// Of an operator that comes as block diagonals alone, in every format and precision.
TEST(MakeOperator, MakesCsrWhereAFormatNeedsIt) {
  const Case<double> c =
      grid_case<double>({.extents = {5, 4, 3}, .dof = 2}, star_stencil(3, 1), {}, RandomBlocks{1, true});
  const std::vector<double> x(static_cast<std::size_t>(c.source.csr->columns), 1.0);
  std::vector<double> expected(x.size()), y(x.size());
  make_operator("csr", SpaceKind::cpu, c.source)->apply(x.data(), expected.data());
  for (const FormatTraits& format : format_traits()) {
    SCOPED_TRACE(format.name);
    const auto a = make_operator(format.name, SpaceKind::cpu, input_of(copy_of(*c.source.hub)));
    EXPECT_TRUE(identical(a->to_csr(), *c.source.csr));
    const auto single = make_operator(format.name, SpaceKind::cpu, input_of(cast<float>(*c.source.hub)));
    EXPECT_EQ(single->rows(), c.source.csr->rows);
    a->apply(x.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-13);
  }
}

TEST(MakeOperator, AutoIsAFormatThatHoldsTheOperator) {
  const Case<double> c =
      grid_case<double>({.extents = {9, 8, 7}, .dof = 1}, star_stencil(3, 1), {}, RandomBlocks{1, true});
  const auto of_grid = make_operator("auto", SpaceKind::cpu, input_of(copy_of(*c.source.hub)));
  EXPECT_TRUE(identical(of_grid->to_csr(), *c.source.csr));
  const Csr<double> ragged = paper_matrix<double>();
  EXPECT_TRUE(identical(make_operator("auto", SpaceKind::cpu, input_of(copy_of(ragged)))->to_csr(), ragged));
  if (cuda::device_count() == 0) {
    EXPECT_THROW(make_operator("auto", SpaceKind::cuda, input_of(copy_of(ragged))), CudaError);
  }
}

TEST(MakeOperator, RefusesWhatIsNotThere) {
  const Csr<double> csr = paper_matrix<double>();
  expect_refused<FormatError>([&] { make_operator("cdz", SpaceKind::cpu, input_of(copy_of(csr))); },
                              {"there is no format 'cdz'", "did you mean 'cds'?"});
  expect_refused<FormatError>([&] { make_operator("cds", SpaceKind::cpu, FormatInput<double>{}); },
                              {"without CSR"});
}

TEST(FormatTraits, AFormatThatIsNotThereIsRefusedWithTheNames) {
  try {
    find_format("sell");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no format 'sell'; there are csr, csc, coo, bcsr, dia, cds, ell, "
                 "ellr_t, rg_csr, cmrs, hyb, compact, stencil_table; did you mean 'ell'?");
  }
}

}  // namespace
}  // namespace quadrille
