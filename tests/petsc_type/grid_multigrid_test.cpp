// -pc_type quadrille_mg with the matrix type on a DMDA, against LU and, on several ranks, against one of
// them; elsewhere it says what it needs.
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "solves.hpp"
#include "tests/petsc_copies.hpp"
#include "tests/petsc_error_text.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::type_test {
namespace {

constexpr const char* multigrid = "quadrille_mg";

using NamesAndValues = std::vector<std::pair<std::string, std::string>>;

// Options of PETSc's for as long as this lives.
class WithOptions {
 public:
  explicit WithOptions(NamesAndValues options) : options_(std::move(options)) {
    for (const auto& [name, value] : options_)
      CALL(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  WithOptions(const WithOptions&) = delete;
  WithOptions& operator=(const WithOptions&) = delete;
  ~WithOptions() {
    for (const auto& each : options_) (void)PetscOptionsClearValue(nullptr, each.first.c_str());
  }

 private:
  NamesAndValues options_;
};

Handle<KSP> solver(Mat matrix, KSPType method = KSPGMRES, PCType preconditioner = multigrid,
                   MPI_Comm comm = PETSC_COMM_WORLD) {
  return make_ksp(matrix, method, preconditioner, 1e-12, 60, comm);
}

int solve(KSP ksp, Vec b, Vec x) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  CALL(KSPSolve(ksp, b, x));
  CALL(KSPGetConvergedReason(ksp, &reason));
  CALL(KSPGetIterationNumber(ksp, &iterations));
  EXPECT_GT(reason, 0);
  return static_cast<int>(iterations);
}

// |b - A x| / |b| of the solution; r is for it.
double true_residual(KSP ksp, Mat a, Vec b, Vec x, Vec r) {
  PetscReal of_b = 0, of_r = 0;
  solve(ksp, b, x);
  CALL(MatMult(a, x, r));
  CALL(VecAXPY(r, -1, b));
  CALL(VecNorm(r, NORM_2, &of_r));
  CALL(VecNorm(b, NORM_2, &of_b));
  return of_r / of_b;
}

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

const Case shared_cases[] = {{1, {300, 1, 1}, 1, 1, false, {}},
                             {1, {41, 1, 1}, 2, 1, false, {true, false, false}},
                             {2, {29, 32, 1}, 1, 1, false, {}},
                             {2, {24, 23, 1}, 2, 1, true, {true, false, false}},
                             {2, {21, 26, 1}, 1, 1, true, {true, true, false}},
                             {2, {7, 64, 1}, 1, 1, false, {}},
                             {3, {10, 9, 11}, 1, 1, false, {}},
                             {3, {13, 12, 17}, 1, 1, true, {false, false, true}},
                             {3, {8, 9, 7}, 3, 1, true, {}},
                             {3, {5, 5, 40}, 1, 1, false, {}},
                             {2, {24, 23, 1}, 2, 2, true, {true, false, false}},
                             {3, {10, 9, 12}, 1, 3, false, {}}};

// A node's number in the whole grid, x fastest, where the grid wraps.
std::int64_t natural(const Case& c, PetscInt i, PetscInt j, PetscInt k) {
  const auto wrap = [&](PetscInt at, int axis) { return (at + c.size[axis]) % c.size[axis]; };
  return (std::int64_t{wrap(k, 2)} * c.size[1] + wrap(j, 1)) * c.size[0] + wrap(i, 0);
}

template <class Body>
void for_own_nodes(DM grid, const Body& body) {
  PetscInt start[3], size[3];
  CALL(DMDAGetCorners(grid, start, start + 1, start + 2, size, size + 1, size + 2));
  for (PetscInt k = start[2]; k < start[2] + size[2]; ++k)
    for (PetscInt j = start[1]; j < start[1] + size[1]; ++j)
      for (PetscInt i = start[0]; i < start[0] + size[0]; ++i) body(i, j, k);
}

// Minus div a grad with a that differs from node to node by up to `jump`, faces that hold a value, and
// unknowns that couple within a node.
void set_diffusion(Mat matrix, DM grid, const Case& c, double jump) {
  const auto a_at = [&](std::int64_t node) { return std::pow(jump, value_at(node, 7, 3) / 2); };
  for_own_nodes(grid, [&](PetscInt i, PetscInt j, PetscInt k) {
    for (PetscInt r = 0; r < c.dof; ++r) {
      const MatStencil row{k, j, i, r};
      const double a = a_at(natural(c, i, j, k));
      double sum = 0.01 * a;
      const PetscInt w = c.width;
      for (PetscInt z = -w; z <= w; ++z)
        for (PetscInt y = -w; y <= w; ++y)
          for (PetscInt x = -w; x <= w; ++x) {
            const int away = (x != 0) + (y != 0) + (z != 0), squares = x * x + y * y + z * z;
            const PetscInt d[] = {x, y, z}, at[] = {i, j, k};
            bool there = away > 0 && (away == 1 || c.box), inside = true;
            for (int axis = 0; axis < 3; ++axis) {
              there = there && (axis < c.dimension || d[axis] == 0);
              inside = inside &&
                       (c.periodic[axis] || (at[axis] + d[axis] >= 0 && at[axis] + d[axis] < c.size[axis]));
            }
            if (!there) continue;
            const double b = inside ? a_at(natural(c, i + x, j + y, k + z)) : a;
            const PetscScalar v = -2 * a * b / (a + b) / squares;
            const MatStencil column{k + z, j + y, i + x, r};
            sum -= v;
            if (inside) CALL(MatSetValuesStencil(matrix, 1, &row, 1, &column, &v, ADD_VALUES));
          }
      for (PetscInt u = 0; u < c.dof; ++u) {
        const MatStencil column{k, j, i, u};
        const PetscScalar v = u == r ? sum + 0.2 * c.dof * a : -0.1 * a;
        CALL(MatSetValuesStencil(matrix, 1, &row, 1, &column, &v, ADD_VALUES));
      }
    }
  });
  CALL(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

Handle<Vec> vector_on(DM grid, const Case& c, unsigned salt) {
  Handle<Vec> v =
      make<Vec>("DMCreateGlobalVector", [&](Vec* made) { return DMCreateGlobalVector(grid, made); });
  PetscScalar* data = nullptr;
  std::int64_t at = 0;
  CALL(VecGetArrayWrite(v.get(), &data));
  for_own_nodes(grid, [&](PetscInt i, PetscInt j, PetscInt k) {
    for (PetscInt r = 0; r < c.dof; ++r) data[at++] = value_at(natural(c, i, j, k), r, salt);
  });
  CALL(VecRestoreArrayWrite(v.get(), &data));
  return v;
}

Handle<Vec> applied(KSP ksp, Vec b) {
  Handle<Vec> y = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(b, v); });
  PC pc = nullptr;
  CALL(KSPSetUp(ksp));
  CALL(KSPGetPC(ksp, &pc));
  CALL(PCApply(pc, b, y.get()));
  return y;
}

// How far a cycle on all ranks is from that of one rank which has all levels, as part of the largest number.
// The matrix is that of set_diffusion(), which `change` may change. `texts` become what is said of both, but
// for how many levels are shared.
using Change = void (*)(Mat, DM, const Case&);
using Texts = std::array<std::string, 2>;
std::string text_of(KSP ksp) {
  PC pc = nullptr;
  CALL(KSPGetPC(ksp, &pc));
  std::string text = petsc::grid_multigrid_text(pc);
  const std::size_t at = text.find(" shared by "), from = at == std::string::npos ? at : text.rfind(',', at);
  if (at != std::string::npos) text.erase(from, text.find(',', at) - from);
  return text;
}
double off_one_rank(const Case& c, double jump = 100, Change change = nullptr, Texts* texts = nullptr) {
  const Grid all = make_grid(c), one = make_grid(c, PETSC_COMM_SELF);
  const Handle<Mat> a = make_matrix(all.get(), "cds"), a_of_one = make_matrix(one.get(), "cds");
  for (const auto& [matrix, grid] : {std::pair(a.get(), all.get()), {a_of_one.get(), one.get()}}) {
    set_diffusion(matrix, grid, c, jump);
    if (change != nullptr) change(matrix, grid, c);
  }
  const Handle<KSP> ksp = solver(a.get()),
                    ksp_of_one = solver(a_of_one.get(), KSPGMRES, multigrid, PETSC_COMM_SELF);
  const Handle<Vec> y = applied(ksp.get(), vector_on(all.get(), c, 5).get()),
                    expected = applied(ksp_of_one.get(), vector_on(one.get(), c, 5).get());
  if (texts != nullptr) *texts = {text_of(ksp.get()), text_of(ksp_of_one.get())};
  PetscReal largest = 0;
  CALL(VecNorm(expected.get(), NORM_INFINITY, &largest));
  const PetscScalar *found = nullptr, *whole = nullptr;
  CALL(VecGetArrayRead(y.get(), &found));
  CALL(VecGetArrayRead(expected.get(), &whole));
  double off = 0;
  std::int64_t at = 0;
  for_own_nodes(all.get(), [&](PetscInt i, PetscInt j, PetscInt k) {
    for (PetscInt r = 0; r < c.dof; ++r)
      off = std::max(off, std::abs(found[at++] - whole[natural(c, i, j, k) * c.dof + r]));
  });
  CALL(VecRestoreArrayRead(y.get(), &found));
  CALL(VecRestoreArrayRead(expected.get(), &whole));
  return off / largest;
}

// One cycle with the levels shared in every way is that of a rank which has them all.
TEST_F(MatrixType, GridMultigridIsTheSameOnAnyRanks) {
  int number = 0;
  for (const Case& c : shared_cases)
    for (const char* gathered : {"1", "100", "1000000"})
      for (const char* interpolation : {"linear", "operator"})
        for (const char* cycle : {"v", "w", "f"}) {
          if (sanitized && number++ % 5 != 0) continue;
          SCOPED_TRACE(c.name() + " gathered " + gathered + " " + interpolation + " " + cycle);
          const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "12"},
                                                   {"-pc_quadrille_mg_gathered", gathered},
                                                   {"-pc_quadrille_mg_interpolation", interpolation},
                                                   {"-pc_quadrille_mg_cycle_type", cycle},
                                                   {"-pc_quadrille_mg_sweeps", *cycle == 'v' ? "2" : "3"},
                                                   {"-pc_quadrille_mg_precision", "double"}});
          EXPECT_LE(off_one_rank(c), 1e-11);
        }
}

// Of four unknowns a node what smoothers take of the spectrum is asked of small levels in another way than of
// large ones: ranks with a few nodes more or less than that ask together.
TEST_F(MatrixType, GridMultigridsOfManyUnknownsAreTheSameOnAnyRanks) {
  const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "12"},
                                           {"-pc_quadrille_mg_gathered", "1"},
                                           {"-pc_quadrille_mg_interpolation", "linear"},
                                           {"-pc_quadrille_mg_precision", "double"}});
  EXPECT_LE(off_one_rank({3, {23, 27, 23}, 4, 1, false, {}}, 1.5), 1e-11);
}

// The next number after what couples the node in the middle to the next one along the last axis.
void change_one_entry(Mat matrix, DM grid, const Case& c) {
  const PetscInt middle[3] = {c.size[0] / 2 - 1, c.size[1] / 2 - 1, c.dimension > 2 ? c.size[2] / 2 - 1 : 0};
  for_own_nodes(grid, [&](PetscInt i, PetscInt j, PetscInt k) {
    if (i != middle[0] || j != middle[1] || k != middle[2]) return;
    const MatStencil row{k, j, i, 0}, column{c.dimension > 2 ? k + 1 : k, c.dimension > 2 ? j : j + 1, i, 0};
    const PetscScalar v = std::nextafter(-1.0, 0.0);
    CALL(MatSetValuesStencil(matrix, 1, &row, 1, &column, &v, INSERT_VALUES));
  });
  CALL(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

// Constant coefficients are found on ranks, whose levels store few rows then; and one entry that differs by
// the least there is, on two ranks and four one between ranks, is seen.
TEST_F(MatrixType, GridMultigridFindsConstantRowsOnAnyRanks) {
  for (const Case& c :
       {Case{2, {40, 36, 1}, 1, 1, false, {}}, Case{2, {27, 36, 1}, 2, 1, true, {true, false, false}},
        Case{2, {31, 45, 1}, 1, 1, true, {true, true, false}}, Case{3, {20, 18, 22}, 1, 1, false, {}},
        Case{3, {12, 13, 30}, 3, 1, true, {}}, Case{3, {16, 21, 24}, 1, 1, true, {false, true, true}}})
    for (const char* gathered : {"1", "500"}) {
      if (sanitized && (c.dof > 1) != (*gathered == '5')) continue;
      std::string of_constants;
      for (const bool changed : {false, true}) {
        SCOPED_TRACE(c.name() + " gathered " + gathered + (changed ? " changed" : ""));
        const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "12"},
                                                 {"-pc_quadrille_mg_gathered", gathered},
                                                 {"-pc_quadrille_mg_precision", "double"}});
        Texts texts;
        EXPECT_LE(off_one_rank(c, 1, changed ? change_one_entry : nullptr, &texts), 1e-11);
        if (changed) {
          EXPECT_NE(texts[0], of_constants);
        } else {
          of_constants = texts[0];
          EXPECT_EQ(texts[0], texts[1]);
          EXPECT_NE(of_constants.find("constant coefficients"), std::string::npos) << of_constants;
        }
      }
    }
}

// Lines are whole, whatever ranks have of them.
TEST_F(MatrixType, GridMultigridsSmoothersAreTheSameOnAnyRanks) {
  int number = 0;
  for (const Case& c : shared_cases)
    for (const auto& [smoother, gathered] :
         {std::pair("jacobi", "1"), {"sor", "1"}, {"sor", "100"}, {"lines", "1"}, {"lines", "100"}}) {
      if (++number % 7 != 0 && sanitized) continue;
      const char* const cycle = number % 3 == 0 ? "v" : number % 3 == 1 ? "w" : "f";
      SCOPED_TRACE(c.name() + " gathered " + gathered + " " + smoother + " " + cycle);
      const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "12"},
                                               {"-pc_quadrille_mg_gathered", gathered},
                                               {"-pc_quadrille_mg_smoother", smoother},
                                               {"-pc_quadrille_mg_cycle_type", cycle},
                                               {"-pc_quadrille_mg_sweeps", *cycle == 'v' ? "2" : "1"},
                                               {"-pc_quadrille_mg_precision", "double"}});
      EXPECT_LE(off_one_rank(c), 1e-11);
    }
}

// Those that no rank has whole, too.
TEST_F(MatrixType, GridMultigridsSmoothersTakeAsManyIterationsOnAnyRanks) {
  for (const Case& c : {Case{2, {48, 45, 1}, 1, 1, true, {true, true, false}},
                        Case{2, {64, 40, 1}, 2, 1, false, {}}, Case{3, {20, 17, 24}, 1, 1, false, {}}})
    for (const char* smoother : {"chebyshev", "jacobi", "sor", "lines"}) {
      if (sanitized && (c.dof > 1) != (*smoother == 'l')) continue;
      SCOPED_TRACE(c.name() + " " + smoother);
      const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "30"},
                                               {"-pc_quadrille_mg_gathered", "100"},
                                               {"-pc_quadrille_mg_smoother", smoother}});
      int iterations[2] = {};
      for (const bool alone : {false, true}) {
        const MPI_Comm comm = alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;
        const Grid grid = make_grid(c, comm);
        const Handle<Mat> a = make_matrix(grid.get(), "cds");
        set_diffusion(a.get(), grid.get(), c, 3);
        const Handle<Vec> b = vector_on(grid.get(), c, 5), x = vector_on(grid.get(), c, 6);
        const Handle<KSP> ksp = solver(a.get(), KSPCG, multigrid, comm);
        CALL(KSPSetTolerances(ksp.get(), 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 60));
        iterations[alone ? 1 : 0] = solve(ksp.get(), b.get(), x.get());
      }
      EXPECT_LE(std::abs(iterations[0] - iterations[1]), 1) << iterations[0] << " and " << iterations[1];
    }
}

// Symmetric, to what the cycle's precision keeps, and the same bits every time.
TEST_F(MatrixType, GridMultigridOfRanksIsSymmetricAndRepeats) {
  int number = 0;
  for (const Case& c : shared_cases)
    for (const auto& [precision, smoother] : {std::pair("double", "chebyshev"),
                                              {"single", "chebyshev"},
                                              {"double", "sor"},
                                              {"single", "sor"},
                                              {"double", "lines"},
                                              {"single", "lines"}}) {
      if (++number % 5 != 0 && sanitized) continue;
      SCOPED_TRACE(c.name() + " " + precision + " " + smoother);
      const WithOptions options(NamesAndValues{{"-pc_quadrille_mg_coarsest", "12"},
                                               {"-pc_quadrille_mg_gathered", "40"},
                                               {"-pc_quadrille_mg_smoother", smoother},
                                               {"-pc_quadrille_mg_precision", precision}});
      const Grid grid = make_grid(c);
      const Handle<Mat> a = make_matrix(grid.get(), "cds");
      set_diffusion(a.get(), grid.get(), c, 1e4);
      const Handle<KSP> ksp = solver(a.get(), KSPCG);
      const Handle<Vec> x = vector_on(grid.get(), c, 5), y = vector_on(grid.get(), c, 6),
                        mx = applied(ksp.get(), x.get()), my = applied(ksp.get(), y.get()),
                        again = applied(ksp.get(), x.get());
      PetscScalar left = 0, right = 0;
      PetscReal of_mx = 0, of_y = 0;
      PetscBool equal = PETSC_FALSE;
      CALL(VecDot(mx.get(), y.get(), &left));
      CALL(VecDot(x.get(), my.get(), &right));
      CALL(VecNorm(mx.get(), NORM_2, &of_mx));
      CALL(VecNorm(y.get(), NORM_2, &of_y));
      CALL(VecEqual(mx.get(), again.get(), &equal));
      EXPECT_TRUE(equal);
      EXPECT_NEAR(left, right, (*precision == 'd' ? 1e-12 : 1e-5) * of_mx * of_y);
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
