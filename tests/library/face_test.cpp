// Sessions, vectors, solvers and formats as a program of the library uses them.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "model.hpp"

namespace quadrille::library_test {
namespace {

GridOperator made(const OperatorOptions& options = {.format = "cds", .space = "cpu"}) {
  const Problem p = problems().front();
  return GridOperator(PETSC_COMM_WORLD, p.grid, p.stencil, p.boundary, Model{1}, options);
}

std::string message_of(const auto& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Vectors, AreNumbersWithoutAliases) {
  const GridOperator a = made();
  Vector x = a.vector(), y = x.set(2);
  y.axpy(0.5, x).scale(2);
  EXPECT_EQ(x.largest(), 2);
  EXPECT_EQ(y.largest(), 6);
  const auto rows = static_cast<double>(a.layout().grid.rows());
  EXPECT_DOUBLE_EQ(x.dot(y), 12 * rows);
  EXPECT_DOUBLE_EQ(x.norm(), 2 * std::sqrt(rows));
  x.axpy(1, x);
  EXPECT_EQ(x.largest(), 4);
  x = y;
  y.set(0);
  EXPECT_EQ(x.largest(), 6);
  x.values()[0] = -9;
  EXPECT_EQ(x.largest(), 9);
}

TEST(Vectors, AreFilledByPosition) {
  const GridOperator a = made();
  const Vector x = a.vector().fill([](const Position& at, int r) {
    return static_cast<double>(at.x + 10 * at.y + 100 * at.z + 1000 * r);
  });
  const auto values = x.values();
  const Partition& p = a.layout().partition;
  for (std::int64_t row = 0; row < values.size(); ++row) {
    const NodePosition at = position_of(p, first_number(p, p.rank) + row / 3);
    EXPECT_EQ(values[row], static_cast<double>(at[0] + 10 * at[1] + 100 * at[2] + 1000 * (row % 3)));
  }
}

TEST(Formats, ThatAreNotThereAreNamedWithThoseThatAre) {
  EXPECT_THROW(made({.format = "cdz"}), FormatError);
  EXPECT_NE(message_of([] { made({.format = "cdz"}); }).find("there is no format 'cdz'; there are csr"),
            std::string::npos)
      << message_of([] { made({.format = "cdz"}); });
  EXPECT_THROW(made({.space = "gpu"}), FormatError);
}

TEST(Formats, ThatAreChosenAreTheSameOnAllRanks) {
  const GridOperator a = made({.space = "cpu"});
  EXPECT_EQ(a.space(), SpaceKind::cpu);
  EXPECT_NE(a.format(), "auto");
  EXPECT_GT(a.stored_bytes(), 0);
}

TEST(Formats, OfTheCommandLineWin) {
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "dia"));
  const GridOperator a = made({.format = "cds", .space = "cpu"});
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  EXPECT_EQ(a.format(), "dia");
  EXPECT_EQ(made().format(), "cds");
}

TEST(Operators, MayBeOfOneRankEach) {
  const Problem p = problems().front();
  const GridOperator a(PETSC_COMM_SELF, p.grid, p.stencil, p.boundary, Model{1}, {.space = "cpu"});
  EXPECT_EQ(a.layout().rows(), p.grid.rows());
  const Vector x = a.vector().set(1);
  Vector y = x;
  a.multiply(x, y);
  const GridOperator shared = made();
  Vector x_shared = shared.vector().set(1), y_shared = x_shared;
  shared.multiply(x_shared, y_shared);
  EXPECT_NEAR(y.norm(), y_shared.norm(), 1e-12 * y.norm());
}

TEST(Operators, RefuseVectorsOfOthers) {
  GridOperator a = made();
  const Problem p = problems().back();
  const GridOperator other(PETSC_COMM_WORLD, p.grid, p.stencil, p.boundary, Model{1}, {.space = "cpu"});
  Vector b = other.vector();
  EXPECT_THROW(a.update(Model{2}, b), FormatError);
}

TEST(Solvers, TakeTheirOwnOptionsAlone) {
  const GridOperator a = made();
  const Vector b = a.vector().fill(wave);
  Vector x = a.vector(), y = a.vector();
  Solver first(a, "-ksp_type gmres -pc_type pbjacobi -ksp_max_it 3 -ksp_rtoll 1"),
      second(a, "-ksp_type bcgs -pc_type jacobi");
  const SolveResult stopped = first.solve(b, x), done = second.solve(b, y);
  EXPECT_FALSE(stopped.converged);
  EXPECT_EQ(stopped.iterations, 3);
  EXPECT_EQ(stopped.unused_options, std::vector<std::string>{"-ksp_rtoll"});
  try {
    stopped.or_throw();
    ADD_FAILURE() << "3 iterations were enough";
  } catch (const NotConvergedError& error) {
    EXPECT_NE(std::string(error.what()).find("did not use the option -ksp_rtoll"), std::string::npos);
  }
  EXPECT_TRUE(done.or_throw().converged);
  EXPECT_GT(done.iterations, 0);
  EXPECT_LE(a.residual(b, y), 1e-6);
  PetscBool left = PETSC_FALSE;
  CALL(PetscOptionsHasName(nullptr, nullptr, "-ksp_max_it", &left));
  EXPECT_FALSE(left);
}

TEST(Solvers, GoOnFromAGuess) {
  const GridOperator a = made();
  const Vector b = a.vector().fill(wave);
  Vector x = a.vector();
  Solver solver(a, "-ksp_type gmres -pc_type pbjacobi -ksp_rtol 1e-8");
  EXPECT_GT(solver.solve(b, x).iterations, 3);
  EXPECT_GT(solver.solve(b, x, zero_guess).iterations, 3);
  EXPECT_LE(solver.solve(b, x, keep_guess).iterations, 1);
}

TEST(Solvers, SayWhichOptionsNobodyKnows) {
  const GridOperator a = made();
  Vector b = a.vector().fill(wave), x = b;
  Solver solver(a, "-ksp_type gmres -pc_type pbjacobi -ksp_rtoll 1e-3");
  solver.solve(b, x);
  EXPECT_EQ(solver.unused_options(), std::vector<std::string>{"-ksp_rtoll"});
}

TEST(Solvers, SayWhoseOptionsPetscRefuses) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler petsc_leaves_memory_where_it_refuses;
#endif
  const GridOperator a = made();
  const std::string said = message_of([&] { Solver(a, "-pc_type nonsense"); });
  EXPECT_NE(said.find("correct the solver's options"), std::string::npos) << said;
}

TEST(Faces, AreABoundary) {
  BoundaryConditions faces = dirichlet(1);
  faces.x_high = neumann(2);
  faces.y_low = faces.y_high = periodic();
  faces.z_high = robin(1, 2, 3);
  EXPECT_EQ(to_string(faces, 3), "value:1,flux:2,periodic,periodic,value:1,robin:1,2,3");
  faces.x_low = each_unknown({outflow(), dirichlet([](const Position& at, int) { return 1.0 * at.y; })});
  const Boundary boundary = faces;
  EXPECT_EQ(boundary.of_unknown.size(), 2u);
  EXPECT_EQ(boundary.of(0)[0].kind, BoundaryKind::outflow);
  EXPECT_EQ(boundary.of(1)[5].kind, BoundaryKind::robin);
  EXPECT_EQ(boundary.data[0]({-1, 4, 0}, 1), 4);
  faces.z_low = each_unknown({no_flux(), no_flux(), no_flux()});
  EXPECT_THROW(faces.boundary(), InputError);
  EXPECT_THROW(each_unknown({}), InputError);
}

}  // namespace
}  // namespace quadrille::library_test
