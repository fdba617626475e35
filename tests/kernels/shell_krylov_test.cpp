// Krylov methods and preconditioners on shell matrices: as with PETSc's own MATSEQAIJ, and without a copy
// between host and GPU.
#include <algorithm>

#include "kernels/cuda/device.hpp"
#include "shell_cases.hpp"
#include "tests/petsc_copies.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using ShellKrylovTest = ShellTest;
INSTANTIATE_TEST_SUITE_P(All, ShellKrylovTest, testing::ValuesIn(entries_in_double()), entry_name);

struct Solved {
  PetscInt iterations = -1;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  Handle<Vec> x;
};

Solved solve(Mat a, KSPType method, PCType preconditioner, Vec b) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  Solved result;
  result.x = nan_vector(0);
  Vec x = nullptr;
  CALL(VecDuplicate(b, &x));
  result.x.reset(x);
  CALL(KSPCreate(PETSC_COMM_SELF, &ksp));
  CALL(KSPSetOperators(ksp, a, a));
  CALL(KSPSetType(ksp, method));
  CALL(KSPGetPC(ksp, &pc));
  CALL(PCSetType(pc, preconditioner));
  CALL(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  const PetscErrorCode code = KSPSolve(ksp, b, x);
  CALL(KSPGetIterationNumber(ksp, &result.iterations));
  CALL(KSPGetConvergedReason(ksp, &result.reason));
  CALL(KSPDestroy(&ksp));
  CALL(code);
  return result;
}

void expect_same_solve(const Pair& m, KSPType method, PCType preconditioner, VecType type) {
  const Handle<Vec> b = vector_of(m.rows, 11, 0, type), host = vector_of(m.rows, 11);
  const Solved shell = solve(m.shell.get(), method, preconditioner, b.get()),
               aij = solve(m.aij.get(), method, preconditioner, host.get());
  EXPECT_EQ(shell.iterations, aij.iterations);
  EXPECT_EQ(shell.reason, aij.reason);
  EXPECT_GT(shell.reason, 0);
  EXPECT_GT(shell.iterations, 3);
  expect_equal(shell.x.get(), aij.x.get(), "the solution");
}

Case<double> poisson_case(const Grid& grid) {
  Case<double> poisson{"laplacian", {}, {}};
  auto hub = std::make_shared<BlockDiagonals<double>>(
      assemble_operator<double>("laplacian", grid, star_stencil(grid.dimension, 1),
                                parse_boundary("value:0", grid.dimension), 1)
          .hub);
  poisson.source.csr = std::make_shared<const Csr<double>>(to_csr(*hub));
  poisson.source.hub = hub;
  return poisson;
}

TEST_P(ShellKrylovTest, KrylovMethodsTakeAsManyIterationsAsWithAij) {
  const Case<double> poisson = poisson_case({3, {9, 8, 7}, {1, 1, 1}, 1});
  const Case<double> blocks = grid_operator({3, {5, 4, 3}, {1, 1, 1}, 3});
  for (const VecType type : vector_types(entry().space)) {
    SCOPED_TRACE(type);
    const auto with_vectors = [=](Pair m) {
      CALL(MatSetVecType(m.shell.get(), type));
      return m;
    };
    if (!refuses(entry(), poisson))
      expect_same_solve(with_vectors(pair_of(entry(), poisson, 1)), KSPCG, PCJACOBI, type);
    const Pair m = with_vectors(pair_of(entry(), blocks, 3));
    for (const Mat a : {m.shell.get(), m.aij.get()}) CALL(MatShift(a, 12));
    expect_same_solve(m, KSPGMRES, PCPBJACOBI, type);
    const std::vector<PetscInt> sizes(60, 3);
    for (const Mat a : {m.shell.get(), m.aij.get()})
      CALL(MatSetVariableBlockSizes(a, 60, const_cast<PetscInt*>(sizes.data())));
    expect_same_solve(m, KSPGMRES, PCVPBJACOBI, VECSEQ);  // on the host in PETSc
  }
}

#if defined(PETSC_HAVE_CUDA)
// A second solve with the same KSP: what the first sets up may be copied.
void expect_no_copies(Mat a, Vec b, PCType preconditioner) {
  const Handle<Vec> x = make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(b, v); });
  const Handle<KSP> ksp = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_SELF, k); });
  PC pc = nullptr;
  CALL(KSPSetOperators(ksp.get(), a, a));
  CALL(KSPSetType(ksp.get(), KSPCG));
  CALL(KSPGetPC(ksp.get(), &pc));
  CALL(PCSetType(pc, preconditioner));
  CALL(KSPSetTolerances(ksp.get(), 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  CALL(KSPSolve(ksp.get(), b, x.get()));
  const BusCopies before = bus_copies();
  CALL(KSPSolve(ksp.get(), b, x.get()));
  const BusCopies crossed = since(before);
  PetscInt iterations = 0;
  CALL(KSPGetIterationNumber(ksp.get(), &iterations));
  EXPECT_GT(iterations, 5);
  EXPECT_TRUE(only_numbers(crossed)) << preconditioner << ". " << to_string(crossed);
}
#endif

TEST(ShellKrylov, NothingCrossesTheBusInASolve_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
#if defined(PETSC_HAVE_CUDA)
  const Case<double> poisson = poisson_case({3, {9, 8, 7}, {1, 1, 1}, 2});
  for (const FormatEntry& entry : tested_products()) {
    if (entry.space != SpaceKind::cuda || !entry.make_fp64 || refuses(entry, poisson)) continue;
    SCOPED_TRACE(entry.name);
    const Pair m = pair_of(entry, poisson, 2);
    Vec made = nullptr;
    CALL(MatCreateVecs(m.shell.get(), &made, nullptr));
    const Handle<Vec> own(made), b = vector_of(m.rows, 11, 0, VECSEQCUDA);
    VecType type = nullptr;
    CALL(VecGetType(made, &type));
    EXPECT_STREQ(type, VECSEQCUDA);
    for (const PCType preconditioner : {PCNONE, PCJACOBI, PCPBJACOBI})
      expect_no_copies(m.shell.get(), b.get(), preconditioner);
  }
  // The measure itself: vectors in host memory are copied, and counted.
  const FormatEntry& cds =
      *std::find_if(tested_products().begin(), tested_products().end(),
                    [](const FormatEntry& e) { return e.name == "cds" && e.space == SpaceKind::cuda; });
  const Pair m = pair_of(cds, poisson, 2);
  const Handle<Vec> b = vector_of(m.rows, 11);
  const BusCopies before = bus_copies();
  solve(m.shell.get(), KSPCG, PCJACOBI, b.get());
  EXPECT_GT(since(before).petsc_to_gpu.count, 0);
  EXPECT_GT(since(before).petsc_to_host.count, 0);
#else
  GTEST_SKIP() << "this PETSc is without CUDA";
#endif
}

}  // namespace
}  // namespace quadrille
