// The bars of CDS on one thread, 3D 64^3 with 4 DoF: at least 1.4 times as fast as PETSc's AIJ MatMult and at
// least 70% of the stream's bandwidth, all in one run. Skipped where the build is not optimised.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "assembly/pde/random_blocks.hpp"
#include "assembly/stencil_operator.hpp"
#include "kernels/cpu/stream.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/registry.hpp"

namespace quadrille {
namespace {

double best_ms(const SpmvOperator<double>& op, const std::vector<double>& x, std::vector<double>& y) {
  double best = 1e300;
  for (int i = 0; i < 15; ++i) {
    const auto start = std::chrono::steady_clock::now();
    op.apply(x.data(), y.data());
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

const FormatEntry& cpu_entry(const std::string& name) {
  return *std::find_if(
      petsc::all_products().begin(), petsc::all_products().end(),
      [&](const FormatEntry& entry) { return entry.name == name && entry.space == SpaceKind::cpu; });
}

TEST(CdsSpeed, BeatsPetscAndKeepsUpWithTheStream) {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "not an optimised build";
#endif
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  Grid grid;
  grid.extents = {64, 64, 64};
  grid.dof = 4;
  auto assembled = assemble<double>(grid, star_stencil(3, 1), Boundary{}, random_blocks(1));
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(to_csr(assembled.hub));
  source.hub = std::make_shared<const BlockDiagonals<double>>(std::move(assembled.hub));
  const std::vector<double> x(static_cast<std::size_t>(grid.rows()), 1.25);
  std::vector<double> y(x.size());
  double ratio = 0, share = 0;
  for (int attempt = 0; attempt < 10 && (ratio < 1.4 || share < 0.7); ++attempt) {
    if (attempt > 0)
      std::this_thread::sleep_for(std::chrono::seconds(2));  // what interferes may be over then
    const auto cds = cpu_entry("cds").make_fp64(source, {}),
               aij = cpu_entry("petsc_aij").make_fp64(source, {});
    const double cds_ms = best_ms(*cds, x, y), aij_ms = best_ms(*aij, x, y);
    const Traffic traffic = cds->traffic();
    const double stream = cpu::stream_gbps(traffic.read_bytes, traffic.written_bytes, 1, 10);
    ratio = aij_ms / cds_ms;  // both bars must be met in one run
    share = 1e-6 * static_cast<double>(traffic.compulsory_bytes()) / cds_ms / stream;
  }
  RecordProperty("speedup_over_petsc_aij", std::to_string(ratio));
  RecordProperty("share_of_stream", std::to_string(share));
  EXPECT_GE(ratio, 1.4);
  EXPECT_GE(share, 0.7);
  omp_set_num_threads(threads);
}

}  // namespace
}  // namespace quadrille
