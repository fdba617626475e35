// -pc_type quadrille_mg with the matrix type on a DMDA, against LU; elsewhere it says what it needs. Ranks
// against one: multigrid_on_ranks_test.cpp.
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "multigrid_solves.hpp"
#include "tests/petsc_copies.hpp"
#include "tests/petsc_error_text.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::type_test {
namespace {

const Case mg_cases[] = {{1, {300, 1, 1}, 1, 1, false, {}}, {1, {150, 1, 1}, 2, 1, false, {}},
                         {2, {29, 32, 1}, 1, 1, false, {}}, {2, {24, 23, 1}, 2, 1, true, {}},
                         {2, {20, 31, 1}, 1, 1, true, {}},  {3, {10, 9, 11}, 1, 1, false, {}},
                         {3, {8, 9, 7}, 2, 1, true, {}}};

// The solution is LU's, and after new values in the same matrix that of those; asked to stay, the levels
// stay.
void solves_as_lu_does(KSPType method, const char* precision) {
  const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "60"},
                                           {"-pc_quadrille_mg_gathered", "100"},
                                           {"-pc_quadrille_mg_precision", precision}});
  for (const Case& c : mg_cases) {
    SCOPED_TRACE(c.name());
    const Grid grid = make_grid(c);
    const Handle<Mat> ours = make_matrix(grid.get(), "cds"), aij = make_matrix(grid.get());
    const Handle<KSP> ksp = solver(ours.get(), method);
    const Handle<Vec> b = random_vector(aij.get(), 3), x = random_vector(aij.get(), 4),
                      expected = random_vector(aij.get(), 5);
    int iterations[4] = {};
    for (int round = 0; round < 4; ++round) {
      const double factor = round < 3 ? 1 + 3 * round : 11;
      for (const Mat m : {ours.get(), aij.get()}) set_laplacian(m, grid.get(), c, factor);
      if (round == 3) CALL(KSPSetReusePreconditioner(ksp.get(), PETSC_TRUE));
      CALL(KSPSetOperators(ksp.get(), ours.get(), ours.get()));
      iterations[round] = solve(ksp.get(), b.get(), x.get());
      solve(solver(aij.get(), KSPPREONLY, ranks() > 1 ? PCREDUNDANT : PCLU).get(), b.get(), expected.get());
      expect_near(x.get(), expected.get(), "solution", 1e-8);
      EXPECT_LE(iterations[round], 18);
      EXPECT_LE(std::abs(iterations[round] - iterations[0]), 1);
    }
  }
}

// GMRES builds the solution of products by M A alone, and is as accurate as those are; FGMRES by A.
TEST_F(MatrixType, GridMultigridSolvesAsLuDoes) {
  solves_as_lu_does(KSPGMRES, "double");
  solves_as_lu_does(KSPFGMRES, "single");
}

// Unless told, cycles are in fp32 only for methods that lose nothing by it.
TEST_F(MatrixType, GridMultigridsPrecisionGoesByTheMethod) {
  const Case c{3, {16, 17, 15}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const Handle<Vec> b = random_vector(a.get(), 3), x = random_vector(a.get(), 4),
                    r = random_vector(a.get(), 5);
  for (const auto& [method, words] : {std::pair(KSPCG, "in fp32"),
                                      {KSPFGMRES, "in fp32"},
                                      {KSPRICHARDSON, "in fp32"},
                                      {KSPGMRES, "in fp64"},
                                      {KSPBCGS, "in fp64"}}) {
    const Handle<KSP> ksp = solver(a.get(), method);
    EXPECT_LE(true_residual(ksp.get(), a.get(), b.get(), x.get(), r.get()), 1e-10) << method;
    PC pc = nullptr;
    CALL(KSPGetPC(ksp.get(), &pc));
    EXPECT_NE(petsc::grid_multigrid_text(pc).find(words), std::string::npos) << method;
    CALL(KSPSetOperators(ksp.get(), a.get(), a.get()));
    EXPECT_LE(true_residual(ksp.get(), a.get(), b.get(), x.get(), r.get()), 1e-10) << method;
  }
  for (const double factor : {1e-40, 1e40}) {  // on any ranks
    const Handle<Mat> far = make_matrix(grid.get(), "cds");
    set_laplacian(far.get(), grid.get(), c, 1);
    CALL(MatScale(far.get(), factor));
    const Handle<KSP> ksp = solver(far.get(), KSPCG);
    EXPECT_LE(true_residual(ksp.get(), far.get(), b.get(), x.get(), r.get()), 1e-10) << factor;
    PC pc = nullptr;
    CALL(KSPGetPC(ksp.get(), &pc));
    EXPECT_NE(petsc::grid_multigrid_text(pc).find("in fp64, for the coeff"), std::string::npos) << factor;
  }
  const WithOptions single(NamesAndValues{{"-pc_quadrille_mg_precision", "single"}});
  EXPECT_GT(true_residual(solver(a.get()).get(), a.get(), b.get(), x.get(), r.get()), 1e-9);
}

TEST_F(MatrixType, GridMultigridSolvesSymmetricOnesByCg) {
  const Case c{2, {30, 33, 1}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const Handle<Vec> b = random_vector(a.get(), 3), x = random_vector(a.get(), 4);
  const int by_cg = solve(solver(a.get(), KSPCG).get(), b.get(), x.get());
  EXPECT_LE(by_cg, 11);
  EXPECT_LE(by_cg, solve(solver(a.get(), KSPRICHARDSON).get(), b.get(), x.get()));
}

std::string view_of(KSP ksp) {
  const std::string path = testing::TempDir() + "quadrille_mg_view";
  PetscViewer viewer = nullptr;
  CALL(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path.c_str(), &viewer));
  CALL(KSPView(ksp, viewer));
  CALL(PetscViewerDestroy(&viewer));
  FILE* file = std::fopen(path.c_str(), "r");
  char text[8192] = {};
  const std::string seen(text, std::fread(text, 1, sizeof text, file));
  std::fclose(file);
  MPI_Barrier(PETSC_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) std::remove(path.c_str());
  MPI_Barrier(PETSC_COMM_WORLD);
  return seen;
}

// A method around another preconditioner, which asks for one application at a time.
TEST_F(MatrixType, GridMultigridWithinAnotherPreconditionerIsInFp64) {
  const Case c{3, {16, 17, 15}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const Handle<Vec> b = random_vector(a.get(), 3), x = random_vector(a.get(), 4),
                    r = random_vector(a.get(), 5);
  for (const NamesAndValues& names :
       {NamesAndValues{{"-pc_type", "composite"}, {"-pc_composite_pcs", "quadrille_mg,jacobi"}},
        NamesAndValues{{"-pc_type", "ksp"}, {"-ksp_ksp_type", "preonly"}, {"-ksp_pc_type", multigrid}},
        NamesAndValues{{"-pc_type", "ksp"},
                       {"-ksp_ksp_type", "richardson"},
                       {"-ksp_ksp_max_it", "2"},
                       {"-ksp_ksp_norm_type", "none"},
                       {"-ksp_pc_type", multigrid}}}) {
    const WithOptions options(names);
    const Handle<KSP> ksp = solver(a.get(), KSPGMRES, PCNONE);
    CALL(KSPSetFromOptions(ksp.get()));
    EXPECT_LT(true_residual(ksp.get(), a.get(), b.get(), x.get(), r.get()), 1e-10) << names.back().second;
  }
}

// Nodes that take part, and whose own blocks have no inverse.
TEST_F(MatrixType, GridMultigridSaysThatABlockIsSingular) {
  for (const auto& [dof, method] :
       {std::pair(1, KSPGMRES), {2, KSPGMRES}, {1, "quadrille_cg"}, {2, "quadrille_cg"}}) {
    const Case c{2, {16, 12, 1}, dof, 1, false, {}};
    const Grid grid = make_grid(c);
    const Handle<Mat> a = make_matrix(grid.get(), "cds");
    const Handle<Vec> b = random_vector(a.get(), 3), x = random_vector(a.get(), 4);
    const Handle<KSP> ksp = solver(a.get(), method);
    CALL(KSPSetNormType(ksp.get(), KSP_NORM_UNPRECONDITIONED));
    for (const bool singular : {true, false}) {
      set_laplacian(a.get(), grid.get(), c, 1);
      if (singular) {
        CALL(VecSet(x.get(), dof == 1 ? 0 : -0.25));  // as what couples the two unknowns of a node
        CALL(MatDiagonalSet(a.get(), x.get(), INSERT_VALUES));
      }
      KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
      CALL(KSPSetOperators(ksp.get(), a.get(), a.get()));
      CALL(KSPSolve(ksp.get(), b.get(), x.get()));
      CALL(KSPGetConvergedReason(ksp.get(), &reason));
      EXPECT_EQ(reason == KSP_DIVERGED_PC_FAILED, singular) << dof;
      EXPECT_EQ(reason > 0, !singular) << dof;
    }
  }
}

TEST_F(MatrixType, GridMultigridsOptionsDoWhatTheySay) {
  Case c{3, {24, 20, 20}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const auto with = [&](NamesAndValues options) {
    for (auto& each : options) each.first = "-pc_quadrille_mg_" + each.first;
    const WithOptions set(std::move(options));
    const Handle<KSP> ksp = solver(a.get());
    CALL(KSPSetUp(ksp.get()));
    return view_of(ksp.get());
  };
  const auto expect_says = [](const std::string& view, const char* words) {
    EXPECT_NE(view.find(words), std::string::npos) << words << " is not in " << view;
  };
  const std::string plain = with({{"coarsest", "300"}});
  for (const char* words : {"type: quadrille_mg", "3 levels, 24x20x20 to 6x5x5", "interpolation linear",
                            "150 unknowns solved directly", "moved by a cycle"})
    expect_says(plain, words);
  expect_says(with({{"levels", "2"}}), "2 levels, 24x20x20 to 12x10x10");
  expect_says(with({{"coarsest", "1200"}}), "to 12x10x10");
  expect_says(with({{"coarsest", "300"}, {"interpolation", "operator"}}), "interpolation by the operator");
  expect_says(with({{"coarsest", "300"}, {"interpolation", "linear"}}), "interpolation linear");
  expect_says(plain, "solved directly");
  expect_says(plain, "V(2,2) in fp32");
  if (ranks() > 1) {
    const std::string by = " by " + std::to_string(ranks()) + " ranks, V(2,2)";
    expect_says(plain, ", all on every rank, V(2,2)");
    expect_says(with({{"coarsest", "300"}, {"gathered", "2000"}}), (", 1 shared" + by).c_str());
    expect_says(with({{"coarsest", "100"}, {"gathered", "100"}}), (", 3 shared" + by).c_str());
  }
  expect_says(with({{"cycle_type", "w"}, {"sweeps", "3"}, {"precision", "double"}}), "W(3,3) in fp64");
  expect_says(with({{"smoother", "lines"}, {"sweeps", "1"}}), "V(1,1) with lines in fp32");
  expect_says(with({{"smoother", "SOR"}, {"precision", "Double"}}), "V(2,2) with sor in fp64");
  expect_says(with({{"smoother", "chebyshev"}}), "V(2,2) in fp32");
  for (const auto& [name, value, words] :
       {std::tuple("smoother", "gauss", "'gauss': choose one of chebyshev, jacobi, sor, lines, auto"),
        {"cycle_type", "x", "'x': choose one of v, w, f"},
        {"precision", "half", "choose one of double, single, auto"},
        {"interpolation", "cubic", "choose one of auto, operator, linear"},
        {"levels", "0", "give 1 to 1000000"},
        {"levels", "99999999999", "levels '99999999999': give 1 to 1000000"},
        {"levels", "2e3", "levels '2e3': give 1 to 1000000"},
        {"sweeps", "", "sweeps without a value: give 1 to 1000000"},
        {"smoother", "", "smoother without a value: choose one of chebyshev"},
        {"semicoarsening", "maybe", "semicoarsening 'maybe': give true or false"},
        {"sweeps", "0", "give 1 to 1000000"},
        {"gathered", "0", "give 1 to 1000000"},
        {"coarsest", "-1", "give 1 to 1000000"}}) {
    const WithOptions set(NamesAndValues{{std::string("-pc_quadrille_mg_") + name, value}});
    const std::string sentence = error_of(KSPSetUp(solver(a.get()).get()));
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(std::string("-pc_quadrille_mg_") + name), std::string::npos) << sentence;
  }
}

std::string* help_text = nullptr;
PetscErrorCode keep_help(MPI_Comm, const char format[], ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  *help_text += text;
  return static_cast<PetscErrorCode>(0);
}

// -help: every option with its prefix, what it is and what it would be; once for a prefix, which
// no other test has.
TEST_F(MatrixType, GridMultigridsOptionsAreInTheHelp) {
  const Case c{2, {24, 20, 1}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const WithOptions set(NamesAndValues{{"-help", ""}, {"-shown_pc_quadrille_mg_sweeps", "3"}});
  const Handle<KSP> ksp = solver(a.get());
  std::string text;
  help_text = &text;
  const auto print = std::exchange(PetscHelpPrintf, keep_help);
  CALL(KSPSetOptionsPrefix(ksp.get(), "shown_"));
  for (int i = 0; i < 2; ++i) {
    CALL(KSPSetUp(ksp.get()));
    CALL(KSPSetOperators(ksp.get(), a.get(), a.get()));
  }
  const Handle<Mat> other =
      make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetOptionsPrefix(other.get(), "shown_"));
  CALL(MatSetSizes(other.get(), PETSC_DECIDE, PETSC_DECIDE, 16, 16));
  CALL(MatSetType(other.get(), "quadrille"));
  CALL(MatSetFromOptions(other.get()));
  PetscHelpPrintf = print;
  for (const char* line :
       {"-shown_pc_quadrille_mg_levels: <now automatic : formerly automatic>", "_mg_coarsest: <",
        "_mg_gathered: <", "_mg_sweeps: <now 3 : formerly 2>", "_mg_smoother: <now auto",
        "_mg_cycle_type: <now v", "_mg_precision: <now auto", "_mg_interpolation: <now auto",
        "_mg_semicoarsening: <now true", "-shown_mat_quadrille_format", "-shown_mat_quadrille_space",
        "-shown_mat_quadrille_verify"}) {
    const std::size_t at = text.find(line);
    EXPECT_NE(at, std::string::npos) << line << " is not in " << text;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line << " is there twice";
  }
}

// Couplings along z a hundredth of the others: only x and y are halved, unless the option says otherwise.
TEST_F(MatrixType, GridMultigridHalvesStrongAxes) {
  const Case c{3, {16, 16, 9}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 0.01);
  const PetscInt n = c.size[0];
  for_own_nodes(grid.get(), [&](PetscInt i, PetscInt j, PetscInt k) {
    const MatStencil row{k, j, i, 0};
    const auto add = [&](const MatStencil& column, PetscScalar value) {
      CALL(MatSetValuesStencil(a.get(), 1, &row, 1, &column, &value, ADD_VALUES));
    };
    add(row, 4);
    for (const PetscInt step : {-1, 1}) {
      if (i + step >= 0 && i + step < n) add({k, j, i + step, 0}, -1);
      if (j + step >= 0 && j + step < n) add({k, j + step, i, 0}, -1);
    }
  });
  CALL(MatAssemblyBegin(a.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(a.get(), MAT_FINAL_ASSEMBLY));
  for (const bool semi : {true, false}) {
    const WithOptions options(
        {{"-pc_quadrille_mg_semicoarsening", semi ? "true" : "false"}, {"-pc_quadrille_mg_levels", "2"}});
    const Handle<KSP> ksp = solver(a.get());
    CALL(KSPSetUp(ksp.get()));
    const std::string view = view_of(ksp.get()), words = semi ? "16x16x9 to 8x8x9" : "16x16x9 to 8x8x4";
    EXPECT_NE(view.find(words), std::string::npos) << view;
  }
}

// Minus the Laplacian with values beyond every face, assembled without a DMDA.
petsc::SharedMat laplacian_without_dmda(const NodePosition& extents, const std::string& format) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const Partition p = make_partition(extents, {}, ranks(), rank);
  const NodeBox box = own_box(p);
  petsc::GridRows rows;
  BlockStructure& s = rows.structure;
  s.extents = extents;
  s.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::int64_t n = box.nodes();
  rows.values = Array<double>(s.diagonals() * n, 0.0);
  for (std::int64_t node = 0; node < n; ++node) {
    const NodePosition at = position_of(p, first_number(p, rank) + node);
    for (std::int64_t d = 0; d < s.diagonals(); ++d)
      if (s.neighbour(at[0], at[1], at[2], s.offsets[d]) >= 0)
        rows.values[d * n + node] = s.offsets[d] == NodeOffset{} ? 6 : -1;
  }
  return petsc::make_grid_matrix(p, std::move(rows), {format, space()});
}

// In any format, for the values on the grid are there beside it; and where its products run.
TEST_F(MatrixType, GridMultigridTakesMatricesFromBlockDiagonals) {
  for (const char* format : {"cds", "csr"}) {
    SCOPED_TRACE(format);
    const petsc::SharedMat a = laplacian_without_dmda({14, 13, 15}, format);
    const Handle<Vec> b = random_vector(a.get(), 3), x = random_vector(a.get(), 4);
    const Handle<KSP> ksp = solver(a.get(), KSPCG);
    CALL(KSPSetTolerances(ksp.get(), 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 60));
    EXPECT_LE(solve(ksp.get(), b.get(), x.get()), 10);
    const char* const where = space() == SpaceKind::cuda ? "in GPU memory" : "in CPU memory";
    EXPECT_NE(view_of(ksp.get()).find(std::string("bytes ") + where), std::string::npos)
        << view_of(ksp.get());
  }
}

TEST_F(MatrixType, GridMultigridRefusesWithASentence) {
  const Case c{2, {12, 13, 1}, 1, 1, false, {}};
  const Pair p = filled_pair(c, "cds");
  const auto expect_refused = [](Mat m, const char* words) {
    const std::string sentence = error_of(KSPSetUp(solver(m).get()));
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("-pc_type gamg, bjacobi or pbjacobi"), std::string::npos) << sentence;
  };
  expect_refused(p.theirs.get(), "needs a matrix of type quadrille on a grid (-dm_mat_type quadrille)");
  Case wide = c;
  wide.width = 5;
  wide.size = {40, 44, 1};
  expect_refused(filled_pair(wide, "cds").ours.get(), "at most 4 apart");
  const Handle<Mat> loose = make<Mat>(
      "MatConvert", [&](Mat* m) { return MatConvert(p.theirs.get(), "quadrille", MAT_INITIAL_MATRIX, m); });
  expect_refused(loose.get(), "this one has none");
}

// As with the preconditioners of shell_krylov_test.cpp: a second solve, with what the first one set up.
TEST_F(MatrixType, NothingCrossesTheBusInASolveWithGridMultigrid_cuda) {
  if (space() != SpaceKind::cuda || ranks() > 1) GTEST_SKIP() << "not one rank with all on the GPU";
#if defined(PETSC_HAVE_CUDA)
  const Case c{3, {40, 33, 24}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> a = make_matrix(grid.get(), "cds");
  set_laplacian(a.get(), grid.get(), c, 1);
  const auto on_gpu = [&] {
    return make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(a.get(), v, nullptr); });
  };
  const Handle<Vec> b = on_gpu(), x = on_gpu();
  VecType type = nullptr;
  CALL(VecGetType(b.get(), &type));
  if (std::string(type) != VECSEQCUDA) GTEST_SKIP() << "vectors in host memory are copied";
  CALL(VecSet(b.get(), 1));
  for (const KSPType method : {"quadrille_cg", KSPCG}) {
    const Handle<KSP> ksp = solver(a.get(), method);
    CALL(KSPSetTolerances(ksp.get(), 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 60));
    solve(ksp.get(), b.get(), x.get());
    const BusCopies before = bus_copies();
    EXPECT_GT(solve(ksp.get(), b.get(), x.get()), 3);
    const BusCopies crossed = since(before);
    EXPECT_TRUE(only_numbers(crossed)) << method << ". " << to_string(crossed);
  }
#else
  GTEST_SKIP() << "this PETSc is without CUDA";
#endif
}

// -log_view: set-up and cycles are events, with the operations and the bytes that the preconditioner counts.
TEST_F(MatrixType, GridMultigridIsSeenInTheLog) {
  CALL(PetscLogDefaultBegin());
  const Case c{2, {30, 33, 1}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> matrix = make_matrix(grid.get(), "cds");
  set_laplacian(matrix.get(), grid.get(), c, 1);
  const Handle<Vec> b = random_vector(matrix.get(), 3), x = random_vector(matrix.get(), 4);
  PetscLogStage stage = -1;
  CALL(PetscLogStageRegister("a solve with multigrid", &stage));
  CALL(PetscLogStagePush(stage));
  const Handle<KSP> ksp = solver(matrix.get(), KSPCG);
  const int iterations = solve(ksp.get(), b.get(), x.get());
  CALL(PetscLogStagePop());
  PC pc = nullptr;
  CALL(KSPGetPC(ksp.get(), &pc));
  const GridMultigridInfo* const info = petsc::grid_multigrid_info(pc);
  ASSERT_NE(info, nullptr);
  const auto seen = [&](const char* name) {
    PetscLogEvent event = -1;
    PetscEventPerfInfo found{};
    CALL(PetscLogEventGetId(name, &event));
    CALL(PetscLogEventGetPerfInfo(stage, event, &found));
    return found;
  };
  const PetscEventPerfInfo set_up = seen("QuadMGSetUp"), cycle = seen("QuadMGCycle");
  EXPECT_EQ(set_up.count, 1);
  EXPECT_GT(set_up.time, 0);
  EXPECT_GT(set_up.dof[0], static_cast<double>(info->stored_bytes));
  EXPECT_GE(cycle.count, iterations);
  EXPECT_EQ(cycle.flops, static_cast<double>(cycle.count) * static_cast<double>(info->cycle_flops));
  EXPECT_EQ(cycle.dof[0], static_cast<double>(info->cycle_bytes));
}

}  // namespace
}  // namespace quadrille::type_test
