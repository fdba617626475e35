// Parts of PETSc that read a matrix as AIJ, and what they find out about it beside its values.
#include <petscksp.h>

#include "comparison.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"

namespace quadrille::type_test {
namespace {

// A system whose matrix changes between two solves.
void expect_same_solutions(const Pair& p, const char* solver) {
  const Handle<Vec> b = random_vector(p.theirs.get(), 1);
  std::array<Handle<KSP>, 2> solvers;
  for (const bool ours : {false, true}) {
    const Mat m = ours ? p.ours.get() : p.theirs.get();
    solvers[ours] = make<KSP>("KSPCreate", [](KSP* made) { return KSPCreate(PETSC_COMM_WORLD, made); });
    CALL(KSPSetOperators(solvers[ours].get(), m, m));
    CALL(KSPSetType(solvers[ours].get(), KSPPREONLY));
    PC pc = nullptr;
    CALL(KSPGetPC(solvers[ours].get(), &pc));
    CALL(PCSetType(pc, solver));
    CALL(KSPSetFromOptions(solvers[ours].get()));
  }
  for (int times = 0; times < 2; ++times) {
    Handle<Vec> x[2] = {random_vector(p.theirs.get(), 2), random_vector(p.theirs.get(), 3)};
    for (const bool ours : {false, true}) CALL(KSPSolve(solvers[ours].get(), b.get(), x[ours].get()));
    expect_near(x[0].get(), x[1].get(), "solution", 1e-10);
    p.both([](Mat m) { CALL(MatScale(m, 2)); });
  }
}

class Option {
 public:
  Option(const char* name, const char* value) : name_(name) {
    CALL(PetscOptionsSetValue(nullptr, name, value));
  }
  ~Option() { (void)PetscOptionsClearValue(nullptr, name_); }

 private:
  const char* name_;
};

TEST_F(MatrixType, TheLinearSolverServerGetsTheValues) {
  if (ranks() > 1) GTEST_SKIP() << "its programs run on one rank; survey_same.txt has them with a server";
#if PETSC_VERSION_GE(3, 20, 0)
  GTEST_SKIP() << "this PETSc makes the solver by -mpi_linear_solver_server alone";
#endif
  const Option direct("-mpi_pc_type", "lu"), only("-mpi_ksp_type", "preonly");
  for (const bool by_server : {false, true}) {
    std::unique_ptr<Option> always;
    if (by_server) always = std::make_unique<Option>("-pc_mpi_always_use_server", "1");
    expect_same_solutions(filled_pair(Case{}, "cds"), PCMPI);
  }
}

TEST_F(MatrixType, AlgebraicMultigridIsAijs) {
  Case c;
  c.size = {9, 8, 8};
  expect_same_solutions(filled_pair(c, "cds"), PCGAMG);
}

TEST_F(MatrixType, QrBySpqr) {
  const Pair p = filled_pair(Case{}, "cds");
  PetscBool ours = PETSC_FALSE, theirs = PETSC_FALSE;
  CALL(MatGetFactorAvailable(p.ours.get(), MATSOLVERSPQR, MAT_FACTOR_QR, &ours));
  CALL(MatGetFactorAvailable(p.theirs.get(), MATSOLVERSPQR, MAT_FACTOR_QR, &theirs));
  EXPECT_EQ(ours, theirs);
  if (!theirs) GTEST_SKIP() << "this PETSc has no SPQR for these ranks";
  expect_same_solutions(p, PCQR);
}

PetscInt colours_of(Mat matrix, MatColoringType type) {
  MatColoring coloring = nullptr;
  ISColoring colors = nullptr;
  PetscInt count = 0;
  CALL(MatColoringCreate(matrix, &coloring));
  CALL(MatColoringSetType(coloring, type));
  CALL(MatColoringSetWeightType(coloring, MAT_COLORING_WEIGHT_LF));  // no random numbers
  CALL(MatColoringApply(coloring, &colors));
  CALL(ISColoringGetIS(colors, PETSC_USE_POINTER, &count, nullptr));
  CALL(ISColoringDestroy(&colors));
  CALL(MatColoringDestroy(&coloring));
  return count;
}

TEST_F(MatrixType, ColouringsThatReadAijHaveItsColours) {
  const Pair p = filled_pair(Case{}, "cds");
  for (const char* const type : {MATCOLORINGGREEDY, MATCOLORINGJP})
    EXPECT_EQ(colours_of(p.ours.get(), type), colours_of(p.theirs.get(), type)) << type;
}

TEST_F(MatrixType, WhatIsKnownOfASymmetryIsKnownOfItsParts) {
  const Pair p = filled_pair(Case{}, "cds");
  p.both([](Mat m) {
    CALL(MatSetOption(m, MAT_SYMMETRIC, PETSC_TRUE));
    Mat block = nullptr;
    PetscBool known = PETSC_FALSE, symmetric = PETSC_FALSE;
    CALL(MatGetDiagonalBlock(m, &block));
    CALL(MatIsSymmetricKnown(block, &known, &symmetric));
    EXPECT_TRUE(ranks() > 1 || (known && symmetric));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m, &first, &last));
    const Handle<IS> rows = make<IS>(
        "ISCreateStride", [=](IS* s) { return ISCreateStride(PETSC_COMM_SELF, last - first, first, 1, s); });
    const IS own = rows.get();
    Mat* parts = nullptr;
    CALL(MatCreateSubMatrices(m, 1, &own, &own, MAT_INITIAL_MATRIX, &parts));
    CALL(MatIsSymmetricKnown(parts[0], &known, &symmetric));
    EXPECT_TRUE(known && symmetric);
    CALL(MatDestroySubMatrices(1, &parts));
  });
}

// PETSc takes the DM's local unknowns for those of the subdomains.
TEST_F(MatrixType, SubdomainsAreThoseOfTheDm) {
  const Pair p = filled_pair(Case{}, "cds");
  PetscInt sizes[2] = {};
  for (const bool ours : {false, true}) {
    Mat made = nullptr;
    ISLocalToGlobalMapping mapping = nullptr;
    CALL(MatConvert(ours ? p.ours.get() : p.theirs.get(), MATIS, MAT_INITIAL_MATRIX, &made));
    const Handle<Mat> parts(made);
    CALL(MatISGetLocalToGlobalMapping(made, &mapping, nullptr));
    CALL(ISLocalToGlobalMappingGetSize(mapping, &sizes[ours]));
  }
  EXPECT_EQ(sizes[0], sizes[1]);
}

TEST_F(MatrixType, InterpolationsHaveTheBlocksOfTheirGrid) {
  Case c;
  c.dof = 3;
  c.size = {9, 9, 9};
  const Grid fine = make_grid(c);
  const Handle<Mat> ours = make_matrix(fine.get(), "cds");  // offers our interpolations to the grid
  const Grid coarse =
      make<DM>("DMCoarsen", [&](DM* made) { return DMCoarsen(fine.get(), PETSC_COMM_WORLD, made); });
  Mat made = nullptr;
  CALL(DMCreateInterpolation(coarse.get(), fine.get(), &made, nullptr));
  const Handle<Mat> p(made);
  ASSERT_NE(petsc::aij_of_transfer(made), nullptr);
  for (const Mat m : {made, petsc::aij_of_transfer(made)}) {
    PetscInt rows = 0, columns = 0;
    CALL(MatGetBlockSizes(m, &rows, &columns));
    EXPECT_EQ(rows, 3);
    EXPECT_EQ(columns, 3);
  }
}

std::string in_short(Mat matrix) {
  char text[512] = {};
  PetscViewer viewer = nullptr;
  CALL(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof text, &viewer));
  CALL(MatView(matrix, viewer));
  CALL(PetscViewerDestroy(&viewer));
  return text;
}

TEST_F(MatrixType, AStringViewerShowsTheTypeOnce) {
  const Pair p = filled_pair(Case{}, "cds");
  EXPECT_EQ(in_short(p.ours.get()).size(), in_short(p.theirs.get()).size()) << in_short(p.ours.get());
}

// How often `change` shows the whole matrix.
int times_shown(const char* option, const std::string& line, const std::function<void()>& change) {
  const Option shown(option, "");
  testing::internal::CaptureStdout();
  change();
  const std::string text = testing::internal::GetCapturedStdout();
  int times = 0;
  for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) ++times;
  return times;
}

// After an error inside an assembly PETSc shows no matrix any more, and GoogleTest runs suites of this name
// before all others.
using MatrixTypeDeathTest = MatrixType;
TEST_F(MatrixTypeDeathTest, ItShowsItselfAsOftenAsAij) {
  Case c;
  c.dimension = 2;
  c.size = {5, 5, 1};
  const Grid grid = make_grid(c);
  int created[2] = {}, shifted[2] = {}, zeroed[2] = {}, symmetric[2] = {};
  for (const bool ours : {false, true}) {
    const auto create = [&] { return make_matrix(grid.get(), ours ? "cds" : "aij"); };
    Handle<Mat> m;
    created[ours] = times_shown("-mat_view", "row 0:", [&] { m = create(); });
    fill(m.get(), grid.get(), c, Filling::local, 1);
    shifted[ours] = times_shown("-mat_view", "row 0:", [&] { CALL(MatShift(m.get(), 1)); });
    zeroed[ours] = times_shown(
        "-mat_view", "row 0:", [&] { CALL(MatZeroRows(m.get(), 0, nullptr, 1, nullptr, nullptr)); });
    symmetric[ours] = times_shown("-mat_is_symmetric", "Matrix is", [&] {
      m = create();
      fill(m.get(), grid.get(), c, Filling::local, 1);
    });
  }
  EXPECT_EQ(created[1], created[0]);
  // AIJ of several ranks shows its parts as well; PETSc 3.25's assembles in MatShift(), where that of one
  // does not.
  EXPECT_TRUE((ranks() > 1 && PETSC_VERSION_GE(3, 20, 0)) || shifted[1] == shifted[0]) << shifted[1];
  EXPECT_TRUE(ranks() > 1 || zeroed[1] == zeroed[0]) << zeroed[1];
  EXPECT_EQ(symmetric[1], symmetric[0]);
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  EXPECT_EQ(created[0], rank == 0 ? 1 : 0);
  EXPECT_EQ(symmetric[0], rank == 0 ? 2 : 0);
}

}  // namespace
}  // namespace quadrille::type_test
