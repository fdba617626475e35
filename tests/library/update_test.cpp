// GridOperator::update() in every format: what is asked of the matrix after it is of the new values, against
// PETSc's own matrix of these and against an operator that never had others.
#include <petscdmda.h>

#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/registry.hpp"
#include "model.hpp"

namespace quadrille::library_test {
namespace {

std::string space() {
  PetscBool given = PETSC_FALSE;
  char text[16] = "cpu";
  CALL(PetscOptionsGetString(nullptr, nullptr, "-mat_quadrille_space", text, sizeof text, &given));
  return text;
}

std::vector<std::string> formats() {
  std::vector<std::string> names{"auto"};
  for (const FormatEntry& entry : registry())
    if (entry.make_fp64 && to_string(entry.space) == space()) names.push_back(entry.name);
  return names;
}

class Update : public testing::Test {
 protected:
  void SetUp() override {
    if (space() == "cuda" && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  }
};

bool has_transpose(const GridOperator& a) {
  return petsc::own_product(a.mat())->has_transpose();
}

// body(problem, operator whose products were used with other values and then updated, the model)
template <class Body>
void for_updated_operators(const Body& body) {
  const Model before{0}, now{1.5};
  for (const Problem& problem : problems())
    for (const std::string& format : formats()) {
      SCOPED_TRACE(problem.name + ", " + format);
      GridOperator a(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary, before,
                     {.format = format, .space = space()});
      Vector x = a.vector().fill(wave), y = a.vector(), b = a.vector();
      a.multiply(x, y);
      if (has_transpose(a)) a.multiply_transposed(x, y);
      a.update(now, b);
      body(problem, a, now, b);
    }
}

// Of a matrix with the layout of `like`.
template <class Multiply>
Vector product(const Vector& like, const Multiply& multiply) {
  Vector y = like;
  y.set(std::nan(""));
  CALL(multiply(y.vec()));
  return y;
}

TEST_F(Update, GivesTheProductsOfTheNewValues) {
  for_updated_operators([](const Problem& problem, GridOperator& a, const Model& now, const Vector& b) {
    const auto aij = plain_aij(problem, a.layout().partition, now);
    const Vector x = a.vector().fill(wave);
    Vector y = x, z = x;
    a.multiply(x, y);
    expect_near(y, product(x, [&](Vec to) { return MatMult(aij.get(), x.vec(), to); }));
    const std::vector<double> expected = plain_right_side(problem, a.layout().partition, now);
    const auto found = b.values();
    ASSERT_EQ(found.size(), static_cast<std::int64_t>(expected.size()));
    for (std::int64_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]) << i;
    if (!has_transpose(a)) return;
    a.multiply_transposed(x, z);
    expect_near(z, product(x, [&](Vec to) { return MatMultTranspose(aij.get(), x.vec(), to); }));
  });
}

TEST_F(Update, GivesTheDiagonalAndTheInvertedBlocksOfTheNewValues) {
  for_updated_operators([](const Problem& problem, GridOperator& a, const Model& now, const Vector&) {
    const auto aij = plain_aij(problem, a.layout().partition, now);
    const Vector like = a.vector();
    expect_near(product(like, [&](Vec to) { return MatGetDiagonal(a.mat(), to); }),
                product(like, [&](Vec to) { return MatGetDiagonal(aij.get(), to); }));
    const PetscScalar *ours = nullptr, *theirs = nullptr;
    CALL(MatInvertBlockDiagonal(a.mat(), &ours));
    CALL(MatInvertBlockDiagonal(aij.get(), &theirs));
    for (std::int64_t i = 0; i < a.layout().rows() * problem.grid.dof; ++i)
      ASSERT_NEAR(ours[i], theirs[i], 1e-13);
  });
}

// Solvers that were set up for the old values, and used.
TEST_F(Update, ReachesWhatSolversHaveSetUp) {
  const Model before{0}, now{1.5};
  for (const Problem& problem : problems())
    for (const std::string& format : formats())
      for (const char* preconditioner : {"jacobi", "pbjacobi", "quadrille_mg", "mg", "bjacobi"}) {
        SCOPED_TRACE(problem.name + ", " + format + ", " + preconditioner);
        const std::string options =
            std::string("-ksp_type gmres -ksp_rtol 1e-11 -pc_quadrille_mg_precision double -pc_type ") +
            preconditioner;
        const auto make = [&](const Model& model) {
          return GridOperator(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary, model,
                              {.format = format, .space = space()});
        };
        GridOperator a = make(before), fresh = make(now);
        if (options.ends_with("quadrille_mg") && !petsc::grid_multigrid_takes(a.mat())) continue;
        Vector b = a.vector(), x = a.vector(), of_fresh = fresh.vector();
        Solver solver(a, options), fresh_solver(fresh, options);
        a.update(before, b);
        EXPECT_TRUE(solver.solve(b, x).converged);
        const Vector old = x;
        a.update(now, b);
        const SolveResult result = solver.solve(b, x);
        EXPECT_TRUE(result.converged) << result.reason;
        EXPECT_LE(a.residual(b, x), 1e-9);
        // As many iterations as a solver that never saw the old values.
        EXPECT_EQ(result.iterations, fresh_solver.solve(b, of_fresh).iterations);
        expect_near(x, of_fresh, 1e-9);
        Vector change = x;
        EXPECT_GT(change.axpy(-1, old).largest(), 1e-3);
      }
}

TEST_F(Update, TellsPetscAndKeepsTheMatrix) {
  const Problem problem = problems().front();
  GridOperator a(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary, Model{},
                 {.format = "cds", .space = space()});
  PetscObjectState places = 0, places_after = 0;
  const Mat matrix = a.mat();
  const double* const values = petsc::own_block_diagonals(matrix)->values.data();
  const std::int64_t before = petsc::changes_of(matrix);
  CALL(MatGetNonzeroState(matrix, &places));
  a.update(Model{1});
  CALL(MatGetNonzeroState(matrix, &places_after));
  EXPECT_GT(petsc::changes_of(matrix), before);
  EXPECT_EQ(places, places_after);
  EXPECT_EQ(a.mat(), matrix);
  EXPECT_EQ(petsc::own_block_diagonals(matrix)->values.data(), values) << "not in place";
}

// Also where the values are made in GPU memory: the same bits, and the same right side. Columns add on a GPU
// in any order.
TEST_F(Update, OnTheDeviceIsThatOfTheHost) {
  for (const Problem& problem : problems())
    for (const std::string& format : formats()) {
      SCOPED_TRACE(problem.name + ", " + format);
      const double apart = space() == "cuda" && format.ends_with("csc") ? 1e-13 : 0;
      const auto compared = [&](const auto& before, const auto& now) {
        const auto make = [&] {
          return GridOperator(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary, before,
                              {.format = format, .space = space()});
        };
        GridOperator a = make(), of_host = make();
        Vector x = a.vector().fill(wave), y = a.vector(), z = y, b = y, of_host_b = y;
        a.multiply(x, y);
        a.update(on_both(now), b);
        of_host.update(now, of_host_b);
        a.multiply(x, y);
        of_host.multiply(x, z);
        EXPECT_LE(y.axpy(-1, z).largest(), apart);
        EXPECT_EQ(b.axpy(-1, of_host_b).largest(), 0);
      };
      compared(Model{0}, Model{1.5});
      compared(Species{0}, Species{1.5});
    }
}

TEST_F(Update, OfTheRightSideAloneIsThatOfTheWhole) {
  for_updated_operators([](const Problem&, GridOperator& a, const Model& now, const Vector& b) {
    Vector alone = a.vector().set(7);
    a.right_side(now, alone);
    expect_near(alone, b, 0);
  });
}

GridOperator species(const Problem& problem, const std::string& format, const auto& model) {
  return GridOperator(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary, model,
                      {.format = format, .space = space()});
}

void expect_product(const GridOperator& a, const Problem& problem, const auto& model) {
  const auto aij = plain_aij(problem, a.layout().partition, model);
  const Vector x = a.vector().fill(wave);
  Vector y = x;
  a.multiply(x, y);
  expect_near(y, product(x, [&](Vec to) { return MatMult(aij.get(), x.vec(), to); }));
}

TEST_F(Update, KeepsThePlacesOfWhatCouples) {
  for (const Problem& problem : problems()) {
    for (const std::string& format : formats()) {
      SCOPED_TRACE(problem.name + ", " + format);
      GridOperator a = species(problem, format, Species{0});
      expect_product(a, problem, Species{0});
      const std::int64_t bytes = a.stored_bytes();
      a.update(Species{1.5});
      expect_product(a, problem, Species{1.5});
      const bool follows = format == "compact" || format == "stencil_table";  // the values
      if (!follows) {
        EXPECT_EQ(a.stored_bytes(), bytes);
      }
      a.update(Species{0});
      expect_product(a, problem, Species{0});
      EXPECT_EQ(a.stored_bytes(), bytes);
    }
    GridOperator by_values = species(problem, "csr", SpeciesByValues{{0}});
    const std::int64_t bytes = by_values.stored_bytes();
    by_values.update(SpeciesByValues{{1.5}});
    EXPECT_GT(by_values.stored_bytes(), bytes);
  }
}

// Constants, as long as nothing is added along x.
struct MaybeConstant {
  double along_x = 0;

  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    const bool centre = to.offset == Offset{};
    if (!couples(centre, r, c)) return 0;
    return (centre && r == c ? 9 : -1 - 0.5 * r) + along_x * static_cast<double>(node.position.x);
  }
};

TEST_F(Update, ConstantsMayVaryAndBeConstantAgain) {
  for (const Problem& problem : problems())
    for (const char* const format : {"auto", "compact"}) {
      SCOPED_TRACE(problem.name + ", " + format);
      const auto make = [&](const char* name) {
        return GridOperator(PETSC_COMM_WORLD, problem.grid, problem.stencil, problem.boundary,
                            MaybeConstant{0}, {.format = name, .space = space()});
      };
      GridOperator a = make(format), cds = make("cds");
      const Vector x = a.vector().fill(wave);
      for (const double along_x : {0.0, 1.5, 0.0, -0.25}) {
        a.update(MaybeConstant{along_x});
        cds.update(MaybeConstant{along_x});
        Vector y = x, z = x;
        a.multiply(x, y);
        cds.multiply(x, z);
        expect_near(y, z);
      }
    }
}

double entries_of(Mat m) {
  MatInfo info;
  CALL(MatGetInfo(m, MAT_GLOBAL_SUM, &info));
  return info.nz_used;
}

// Of PETSc's own DMDA with that grid, stencil and fill.
double entries_of_dmda(const Problem& problem, const BlockFill& fill) {
  const Grid& g = problem.grid;
  DM dm = nullptr;
  CALL(DMDACreate(PETSC_COMM_WORLD, &dm));
  const petsc::Handle<DM> da(dm);
  const auto side = [&](int axis) {
    return problem.boundary.periodic(axis) ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
  };
  const auto extent = [&](int axis) { return static_cast<PetscInt>(g.extents[axis]); };
  CALL(DMSetDimension(dm, g.dimension));
  CALL(DMDASetSizes(dm, extent(0), extent(1), extent(2)));
  CALL(DMDASetDof(dm, g.dof));
  CALL(DMDASetStencilWidth(dm, 1));
  CALL(DMDASetStencilType(dm, problem.stencil.name == "box" ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR));
  CALL(DMDASetBoundaryType(dm, side(0), side(1), side(2)));
  CALL(DMSetUp(dm));
  CALL(DMSetMatType(dm, MATAIJ));
  const std::vector<PetscInt> centre(fill.centre.begin(), fill.centre.end()),
      beside(fill.beside.begin(), fill.beside.end());
  CALL(DMDASetBlockFills(dm, centre.data(), beside.data()));
  const auto m = petsc::make<Mat>("DMCreateMatrix", [&](Mat* made) { return DMCreateMatrix(dm, made); });
  return entries_of(m.get());
}

TEST_F(Update, PeersHaveThePlacesOfADmdaWithBlockFills) {
  for (const Problem& problem : problems()) {
    SCOPED_TRACE(problem.name);
    const GridOperator a = species(problem, "csr", Species{0});
    const BlockFill& fill = petsc::own_block_diagonals(a.mat())->fill;
    EXPECT_EQ(fill, fill_of(Species{}, 3)) << "(0, 2) is not beside the centre, so no face puts it there";
    const double expected = entries_of_dmda(problem, fill);
    const std::vector<std::uint8_t> all(9, 1);
    EXPECT_LT(expected, entries_of_dmda(problem, {all, all}));
    const petsc::SharedMat peer = petsc::make_aij(a.mat(), false);
    const auto copy = petsc::make<Mat>(
        "MatConvert", [&](Mat* m) { return MatConvert(a.mat(), MATAIJ, MAT_INITIAL_MATRIX, m); });
    EXPECT_EQ(entries_of(peer.get()), expected);
    EXPECT_EQ(entries_of(copy.get()), expected);
  }
}

TEST_F(Update, RefusesOnAllRanksWhatCouplesOutsideOnOne) {
  const Problem problem = problems().front();
  const Species wrong{1, problem.grid.nodes() - 1};  // of the last rank
  const auto expect_refusal = [](const auto& body) {
    try {
      body();
      ADD_FAILURE() << "not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find("node (5, 4, 6) couples to the node at (0, -1, 0) by 0.5"), 0u)
          << error.what();
    }
  };
  for (const char* format : {"csr", "cds"}) {
    expect_refusal([&] { species(problem, format, wrong); });
    GridOperator a = species(problem, format, Species{0});
    expect_refusal([&] { a.update(wrong); });
    a.update(Species{1});
    expect_product(a, problem, Species{1});
  }
}

}  // namespace
}  // namespace quadrille::library_test
