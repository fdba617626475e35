// -pc_type quadrille_mg on several ranks, against one of them.
#include <array>
#include <cmath>
#include <cstdlib>

#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "multigrid_solves.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::type_test {
namespace {

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
                             {3, {10, 9, 12}, 1, 3, false, {}},
                             {3, {24, 20, 20}, 2, 1, false, {false, true, false}}};  // blocks with zeros

// A node's number in the whole grid, x fastest, where the grid wraps.
std::int64_t natural(const Case& c, PetscInt i, PetscInt j, PetscInt k) {
  const auto wrap = [&](PetscInt at, int axis) { return (at + c.size[axis]) % c.size[axis]; };
  return (std::int64_t{wrap(k, 2)} * c.size[1] + wrap(j, 1)) * c.size[0] + wrap(i, 0);
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

}  // namespace
}  // namespace quadrille::type_test
