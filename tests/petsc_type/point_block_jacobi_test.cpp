// quadrille_pbjacobi against PETSc's PCPBJACOBI: with the matrix type, with AIJ and BAIJ, on any number of
// ranks.
#include <cmath>
#include <cstdio>

#include "kernels/petsc/base/petsc_error.hpp"
#include "solves.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

constexpr const char* ours = "quadrille_pbjacobi";

Handle<KSP> solver_with(Mat matrix, KSPType method, PCType preconditioner) {
  return make_ksp(matrix, method, preconditioner, 1e-10, 300);
}

void expect_same_iterates(Mat a, Mat reference, KSPType method) {
  const Handle<KSP> mine = solver_with(a, method, ours), theirs = solver_with(reference, method, PCPBJACOBI);
  const Solved found = solved(mine.get()), expected = solved(theirs.get());
  expect_same_residuals(found, expected);
  EXPECT_GT(found.residuals.size(), 4u);
  expect_near(found.x.get(), expected.x.get(), "solution", 1e-8);
}

// y = D^-1 x and D^-T x for vectors of the type that the tests run with.
void expect_same_application(Mat a, Mat reference, Vec x) {
  const Handle<KSP> mine = solver_with(a, KSPGMRES, ours),
                    theirs = solver_with(reference, KSPGMRES, PCPBJACOBI);
  PC pc = nullptr, their_pc = nullptr;
  CALL(KSPGetPC(mine.get(), &pc));
  CALL(KSPGetPC(theirs.get(), &their_pc));
  for (const bool transposed : {false, true}) {
    const Handle<Vec> y = make<Vec>("VecDuplicate", [=](Vec*v) { return VecDuplicate(x, v); }),
                      host_x = random_vector(reference, 6), expected = random_vector(reference, 7);
    CALL(VecCopy(x, host_x.get()));
    CALL(VecSet(y.get(), std::nan("")));
    CALL(transposed ? PCApplyTranspose(pc, x, y.get()) : PCApply(pc, x, y.get()));
    CALL(transposed ? PCApplyTranspose(their_pc, host_x.get(), expected.get())
                    : PCApply(their_pc, host_x.get(), expected.get()));
    CALL(VecCopy(y.get(), host_x.get()));
    expect_near(host_x.get(), expected.get(), transposed ? "transposed" : "applied");
  }
}

TEST_F(MatrixType, PointBlockJacobiIsPetscs) {
  for (const Case& c : cases(31, 8)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    p.both([&](Mat m) { CALL(MatShift(m, 10.0 * c.dof)); });  // the solvers converge
    Vec from = nullptr;
    CALL(DMCreateGlobalVector(p.grid.get(), &from));
    const Handle<Vec> x(from), values = random_vector(p.theirs.get(), 8);
    CALL(VecCopy(values.get(), x.get()));
    expect_same_application(p.ours.get(), p.theirs.get(), x.get());
    expect_same_application(p.theirs.get(), p.theirs.get(), x.get());
    PetscInt unknowns = 0;
    CALL(VecGetSize(x.get(), &unknowns));
    if (unknowns <= 30) continue;  // GMRES exhausts so small a space, and rounding decides when
    for (const KSPType method : {KSPGMRES, KSPBICG}) {
      SCOPED_TRACE(method);
      expect_same_iterates(p.ours.get(), p.theirs.get(), method);
      expect_same_iterates(p.theirs.get(), p.theirs.get(), method);
    }
  }
}

TEST_F(MatrixType, PointBlockJacobiFollowsTheMatrix) {
  Case c;
  c.size = {6, 6, 5};
  c.dof = 3;
  const Pair p = filled_pair(c, "cds");
  const auto stays = [](Mat m) { return solver_with(m, KSPGMRES, ours); };
  const Handle<KSP> kept = stays(p.ours.get()), petscs = solver_with(p.ours.get(), KSPGMRES, PCPBJACOBI);
  for (int round = 0; round < 3; ++round) {
    p.both([&](Mat m) {
      if (round < 2)
        fill(m, p.grid.get(), c, Filling::local, 50 + static_cast<unsigned>(round), INSERT_VALUES);
      else
        CALL(MatScale(m, 3));
      CALL(MatShift(m, 20));
    });
    // A copy: the AIJ of PETSc 3.25.6 inverts its blocks once and never again.
    const Handle<Mat> fresh =
        make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(p.theirs.get(), MAT_COPY_VALUES, m); });
    const Handle<KSP> theirs = solver_with(fresh.get(), KSPGMRES, PCPBJACOBI);
    expect_same_residuals(solved(kept.get()), solved(theirs.get()));
  }
  // Asked to stay, both keep the blocks of the values before.
  for (const KSP ksp : {kept.get(), petscs.get()}) {
    CALL(KSPSetUp(ksp));
    CALL(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  }
  p.both([&](Mat m) {
    fill(m, p.grid.get(), c, Filling::local, 60, INSERT_VALUES);
    CALL(MatShift(m, 20));
  });
  expect_same_residuals(solved(kept.get()), solved(petscs.get()));
}

TEST_F(MatrixType, PointBlockJacobiSaysWhatItIs) {
  Case c;
  c.dof = 2;
  const Pair p = filled_pair(c, "cds");
  const Handle<KSP> ksp = solver_with(p.ours.get(), KSPGMRES, ours);
  CALL(KSPSetUp(ksp.get()));
  const std::string path = testing::TempDir() + "quadrille_pc_view";
  PetscViewer viewer = nullptr;
  PC pc = nullptr;
  PCType type = nullptr;
  CALL(KSPGetPC(ksp.get(), &pc));
  CALL(PCGetType(pc, &type));
  EXPECT_STREQ(type, ours);
  CALL(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path.c_str(), &viewer));
  CALL(PCView(pc, viewer));
  CALL(PetscViewerDestroy(&viewer));
  CALL(PCSetType(pc, PCJACOBI));  // and back
  CALL(PCSetType(pc, ours));
  CALL(KSPSetUp(ksp.get()));
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0) return;
  FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  char text[2048] = {};
  const std::string seen(text, std::fread(text, 1, sizeof text, file));
  std::fclose(file);
  std::remove(path.c_str());
  for (const char* part : {"type: quadrille_pbjacobi", "point-block size 2", "bytes of inverted blocks"})
    EXPECT_NE(seen.find(part), std::string::npos) << part << " is not in " << seen;
}

TEST_F(MatrixType, PointBlockJacobiRefusesWithASentence) {
  Case c;
  c.dof = 2;
  const Pair p = filled_pair(c, "cds");
  PetscInt rows = 0, first = 0;
  CALL(MatGetLocalSize(p.ours.get(), &rows, nullptr));
  CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
  std::vector<PetscInt> sizes(static_cast<std::size_t>(rows / 2), 2);
  CALL(MatSetVariableBlockSizes(p.ours.get(), rows / 2, sizes.data()));
  CALL(KSPSetUp(solver_with(p.ours.get(), KSPGMRES, ours).get()));  // of one size after all
  sizes = {3, 1};
  sizes.resize(static_cast<std::size_t>(rows / 2), 2);
  CALL(MatSetVariableBlockSizes(p.ours.get(), rows / 2, sizes.data()));
  const std::string several = error_of(KSPSetUp(solver_with(p.ours.get(), KSPGMRES, ours).get()));
  EXPECT_NE(several.find("-pc_type vpbjacobi takes several sizes"), std::string::npos) << several;

  // A singular block of every rank: the solver's reason says so or, where that is wanted, an error.
  const Handle<Mat> aij =
      make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(p.theirs.get(), MAT_COPY_VALUES, m); });
  const Pair q = filled_pair(c, "cds");
  for (const Mat m : {q.ours.get(), aij.get()}) {
    for (PetscInt r = first; r < first + 2; ++r)
      for (PetscInt k = first; k < first + 2; ++k) CALL(MatSetValue(m, r, k, 0, INSERT_VALUES));
    CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  }
  const Handle<Vec> b = random_vector(aij.get(), 3), x = random_vector(aij.get(), 4);
  for (const Mat m : {q.ours.get(), aij.get()})
    for (const char* const type : {ours, PCPBJACOBI}) {
      const Handle<KSP> ksp = solver_with(m, KSPGMRES, type);
      KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
      CALL(KSPSolve(ksp.get(), b.get(), x.get()));
      CALL(KSPGetConvergedReason(ksp.get(), &reason));
      EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED) << type;
    }
  const Handle<KSP> strict = solver_with(q.ours.get(), KSPGMRES, ours);
  CALL(KSPSetErrorIfNotConverged(strict.get(), PETSC_TRUE));
  const std::string singular = error_of(KSPSetUp(strict.get()));
  EXPECT_NE(singular.find("the diagonal block 0, rows 0 to 1, is singular"), std::string::npos) << singular;
}

}  // namespace
}  // namespace quadrille::type_test
