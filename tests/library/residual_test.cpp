// Residuals, their Jacobians, and what SNES and TS make of them, on all ranks.
#include <gtest/gtest.h>
#include <quadrille/quadrille.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include "assembly/pde/laplacian.hpp"
#include "drawn.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "quadrille/not_finite.hpp"
#include "residual_models.hpp"

namespace quadrille {
namespace {

constexpr double pi = std::numbers::pi;

Boundary faces(const char* text, const Grid& grid) {
  return parse_boundary(text, grid.dimension);
}

// J w against (F(u + e w, rate + shift e w) - F(u - e w, rate - shift e w)) / 2e.
TEST(Residual, TheJacobianIsTheDerivative) {
  for (const char* sides :
       {"periodic", "value:0.3", "clamp,value:1,robin:1,2,3,flux:0.5", "drop,outflow,clamp,clamp"})
    for (const std::array<std::int64_t, 3> extents : {std::array<std::int64_t, 3>{9, 7, 1}, {3, 12, 1}}) {
      SCOPED_TRACE(sides);
      const Grid grid{2, extents, {0.5, 0.4, 1}, 2};
      GridResidual f(PETSC_COMM_WORLD, grid, box_stencil(2, 1), faces(sides, grid), on_both(Everything{}, 2),
                     {.space = "cpu"});
      const Vector u = drawn(f, 1), rate = drawn(f, 2), w = drawn(f, 3);
      const double shift = 1.7, e = 1e-6, t = 0.4;
      f.differentiate(t, u, rate, shift);
      Vector product = f.vector(), above = f.vector(), below = f.vector();
      f.jacobian().multiply(w, product);
      const auto moved = [&](double step, Vector& to) {
        Vector at = u, at_rate = rate;
        at.axpy(step, w);
        at_rate.axpy(step * shift, w);
        f.evaluate(t, at, at_rate, to);
      };
      moved(e, above), moved(-e, below);
      above.axpy(-1, below).scale(1 / (2 * e));
      const double size = product.norm();
      EXPECT_LT(above.axpy(-1, product).norm(), 1e-8 * size);
      EXPECT_GT(size, 1);
    }
}

// Of a linear one it is the operator that the coefficients of the Laplacian give, and F(0) the data of faces.
TEST(Residual, OfTheLaplacianIsItsOperator) {
  for (const char* sides :
       {"periodic", "value:2", "clamp,value:1,robin:1,2,3,flux:0.5", "drop,outflow,clamp,clamp"}) {
    SCOPED_TRACE(sides);
    const Grid grid{2, {8, 11, 1}, {0.5, 0.25, 1}, 2};
    const Stencil star = star_stencil(2, 1);
    GridResidual f(PETSC_COMM_WORLD, grid, star, faces(sides, grid), on_both(Diffusing{}, 2),
                   {.space = "cpu"});
    const Laplacian coefficients = laplacian(grid, star);
    const GridOperator a(PETSC_COMM_WORLD, grid, star, faces(sides, grid), coefficients,
                         {.format = "cds", .space = "cpu"});
    const Vector zero = f.vector(), w = drawn(f, 5);
    Vector at_zero = f.vector(), expected = f.vector(), found = f.vector(), b = a.vector();
    f.evaluate(0, zero, zero, at_zero);
    a.right_side(coefficients, b);
    EXPECT_LT(at_zero.axpy(1, b).norm(), 1e-12 * (1 + b.norm()));
    f.differentiate(0, zero, zero, 0);
    a.multiply(w, expected);
    f.jacobian().multiply(w, found);
    EXPECT_LT(found.axpy(-1, expected).norm(), 1e-12 * expected.norm());
  }
}

// -lap u + d u = x with what a model of coefficients says of the same.
struct Reacting {
  static constexpr bool linear = true;
  double d;
  constexpr auto operator()(const auto& u, int r) const { return d * u(r) - u.laplacian(r) - u.x(0); }
};
struct ReactingByHand {
  Laplacian laplacian;
  double d, h_m;
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    return laplacian(node, to, r, c) + (r == c && to.offset == Offset{} ? d : 0);
  }
  constexpr double source(const StencilNode& node, int) const {
    return h_m * static_cast<double>(node.position.x);
  }
};

TEST(Residual, OfALinearOneAnOperatorIsMadeAndUpdated) {
  for (const char* sides : {"periodic", "clamp,value:1,robin:1,2,3,flux:0.5"}) {
    SCOPED_TRACE(sides);
    const Grid grid{2, {8, 11, 1}, {0.5, 0.25, 1}, 2};
    const Stencil star = star_stencil(2, 1);
    const auto by_hand = [&](double d) { return ReactingByHand{laplacian(grid, star), d, 0.5}; };
    GridOperator found(PETSC_COMM_WORLD, grid, star, faces(sides, grid), Reacting{9}, {.space = "cpu"}),
        expected(PETSC_COMM_WORLD, grid, star, faces(sides, grid), by_hand(9), {.space = "cpu"});
    Vector x = found.vector(), b = x, of_hand = x, y = x, z = x;
    x.fill([](const Position& p, int unknown) { return 0.3 * static_cast<double>(p.x - p.y) + unknown; });
    for (const double d : {2.0, 5.0}) {
      found.update(Reacting{d}, b);
      expected.update(by_hand(d), of_hand);
      EXPECT_GT(b.norm(), 1);
      EXPECT_EQ(b.axpy(-1, of_hand).largest(), 0);
      found.multiply(x, y), expected.multiply(x, z);
      EXPECT_EQ(y.axpy(-1, z).largest(), 0);
    }
  }
  const Grid grid{2, {8, 11, 1}, {0.5, 0.25, 1}, 1};
  EXPECT_THROW(GridOperator(PETSC_COMM_WORLD, grid, star_stencil(2, 1), Boundary{}, Saying<true>{1, 2}),
               InputError);
}

// By the functor that is compiled for both, and by the same one of the host alone.
TEST(Residual, OnTheGpuIsThatOfTheHost) {
  for (const char* sides :
       {"periodic", "clamp,value:1,robin:1,2,3,flux:0.5,drop,outflow",
        "value:1/clamp,robin:1,2,3/drop,value:3/flux:0.5,clamp/value:2,periodic,periodic"})
    for (const std::array<std::int64_t, 3> extents :
         {std::array<std::int64_t, 3>{70, 9, 6}, {5, 3, 4}, {300, 2, 3}, {6, 5, 1}}) {
      SCOPED_TRACE(sides);
      const int dimension = extents[2] == 1 ? 2 : 3;
      const Grid grid{dimension, extents, {0.5, 0.4, 0.3}, 2};
      Boundary boundary =
          parse_boundary(dimension == 3 || sides[0] == 'p' ? sides : "robin:1,2,3", dimension);
      if (sides[0] != 'p')
        boundary.data[dimension == 3 ? 2 : 0] = [](const Position& p, int unknown) {
          return 0.1 * static_cast<double>(p.x + 2 * p.y - p.z) + unknown;
        };
      GridResidual f(PETSC_COMM_WORLD, grid, box_stencil(dimension, 1), boundary, on_both(Everything{}, 2),
                     {.space = "cpu"});
      const Vector u = drawn(f, 1), rate = drawn(f, 2), w = drawn(f, 3);
      Vector here = f.vector(), there = f.vector(), product = f.vector(), of_host = f.vector();
      f.evaluate(0.4, u, rate, here);
      for (int again = 0; again < 2; ++again) f.differentiate(0.4, u, rate, 1.7);
      f.jacobian().multiply(w, product);
      f.use(any_residual(Everything{}, 2));
      f.evaluate(0.4, u, rate, there);
      f.differentiate(0.4, u, rate, 1.7);
      f.jacobian().multiply(w, of_host);
      EXPECT_GT(here.norm(), 1);
      EXPECT_LE(there.axpy(-1, here).largest(), 1e-14 * here.largest());
      EXPECT_LE(of_host.axpy(-1, product).largest(), 1e-14 * product.largest());
    }
}

// Copies of one node's blocks are the Jacobian that is made at every node.
TEST(Residual, OfAUniformOneTheJacobianIsThatOfEveryNode) {
  for (const char* sides : {"periodic", "clamp,value:1,robin:1,2,3,flux:0.5,drop,outflow"})
    for (const std::array<std::int64_t, 3> extents :
         {std::array<std::int64_t, 3>{70, 9, 6}, {5, 3, 4}, {66, 35, 1}})
      for (const int dof : {1, 3})
        for (const double corner : {0.0, 0.4}) {
          SCOPED_TRACE(std::string(sides) + " " + std::to_string(extents[0]) + " " + std::to_string(dof));
          const int dimension = extents[2] == 1 ? 2 : 3;
          const Grid grid{dimension, extents, {0.5, 0.4, 0.3}, dof};
          const Boundary boundary =
              parse_boundary(dimension == 3 || sides[0] == 'p' ? sides : "robin:1,2,3", dimension);
          const Stencil stencil = corner != 0 ? box_stencil(dimension, 1) : star_stencil(dimension, 1);
          const auto made = [&](const AnyResidual& residual) {
            return GridResidual(PETSC_COMM_WORLD, grid, stencil, boundary, residual, {.space = "cpu"});
          };
          GridResidual said = made(on_both(Even<true>{corner}, dof)),
                       not_said = made(on_both(Even<false>{corner}, dof)),
                       on_host = made(any_residual(Even<true>{corner}, dof));
          const Vector u = drawn(said, 1), rate = drawn(said, 2), w = drawn(said, 3);
          Vector expected = said.vector(), found = said.vector();
          for (const double shift : {1.7, 0.3}) {  // the first one looks at all nodes
            not_said.differentiate(0.4, u, rate, shift);
            not_said.jacobian().multiply(w, expected);
            for (GridResidual* f : {&said, &on_host}) {
              f->differentiate(0.4, u, rate, shift);
              f->jacobian().multiply(w, found);
              EXPECT_LE(found.axpy(-1, expected).largest(), 1e-14 * expected.largest());
            }
          }
        }
}

// Of a few rows that are all: what PETSc reads and changes of the matrix, and what is made of it, is that of
// one whose rows were all made; and so it is when rows are made again.
TEST(Residual, OfAUniformOneTheMatrixIsThatOfEveryNode) {
  const auto duplicate = [](Mat a) {
    Mat copy = nullptr;
    EXPECT_EQ(MatDuplicate(a, MAT_COPY_VALUES, &copy), 0);
    return std::shared_ptr<_p_Mat>(copy, [](Mat m) { MatDestroy(&m); });
  };
  const std::pair<const char*, std::function<void(Mat, Vec)>> changes[] = {
      {"none", [](Mat, Vec) {}},
      {"scale", [](Mat a, Vec) { EXPECT_EQ(MatScale(a, 3), 0); }},
      {"shift", [](Mat a, Vec) { EXPECT_EQ(MatShift(a, 7), 0); }},
      {"rows and columns", [](Mat a, Vec w) { EXPECT_EQ(MatDiagonalScale(a, w, w), 0); }},
      {"a diagonal", [](Mat a, Vec w) { EXPECT_EQ(MatDiagonalSet(a, w, ADD_VALUES), 0); }},
      {"itself", [&](Mat a, Vec) { EXPECT_EQ(MatAXPY(a, 2, duplicate(a).get(), SAME_NONZERO_PATTERN), 0); }},
      {"one value",
       [](Mat a, Vec) {
         PetscInt first = 0, end = 0;
         EXPECT_EQ(MatGetOwnershipRange(a, &first, &end), 0);
         EXPECT_EQ(first < end ? MatSetValue(a, first, first, 5, ADD_VALUES) : 0, 0);
         EXPECT_EQ(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY), 0);
         EXPECT_EQ(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY), 0);
       }},
      {"zero, and a shift", [](Mat a, Vec) {
         EXPECT_EQ(MatZeroEntries(a), 0);
         EXPECT_EQ(MatShift(a, 2), 0);
       }}};
  for (const char* sides : {"periodic", "clamp,value:1,robin:1,2,3,flux:0.5,drop,outflow"})
    for (const char* format : {"compact", "cds"}) {
      const Grid grid{3, {12, 9, 10}, {0.5, 0.4, 0.3}, 3};
      const auto made = [&](const auto& residual) {
        return GridResidual(PETSC_COMM_WORLD, grid, star_stencil(3, 1), faces(sides, grid),
                            on_both(residual, 3), {.format = format, .space = "cpu"});
      };
      GridResidual few = made(Even<true>{}), all = made(Even<false>{});
      const Vector u = drawn(few, 1), w = drawn(few, 3);
      Vector found = few.vector(), expected = few.vector();
      for (const auto& [name, change] : changes) {
        SCOPED_TRACE(std::string(sides) + ", " + format + ", " + name);
        const auto same = [&](const char* what) {
          const double size = expected.largest();
          EXPECT_GT(size, 0) << what;
          EXPECT_LE(found.axpy(-1, expected).largest(), 1e-13 * size) << what;
        };
        for (const double shift : {1.7, 0.3}) {
          for (GridResidual* f : {&few, &all}) {
            f->differentiate(0.4, u, u, shift);
            change(f->jacobian().mat(), w.vec());
          }
          few.jacobian().multiply(w, found), all.jacobian().multiply(w, expected);
          same("product");
        }
        const Mat of_few = few.jacobian().mat(), of_all = all.jacobian().mat();
        for (const auto& [mat, to] : {std::pair(of_few, &found), std::pair(of_all, &expected)})
          EXPECT_EQ(MatGetDiagonal(mat, to->vec()), 0);
        same("diagonal");
        few.differentiate(0.4, u, u, 2), all.differentiate(0.4, u, u, 2);
        change(of_few, w.vec()), change(of_all, w.vec());
        EXPECT_EQ(MatMult(duplicate(of_few).get(), w.vec(), found.vec()), 0);
        EXPECT_EQ(MatMult(duplicate(of_all).get(), w.vec(), expected.vec()), 0);
        same("product of a copy");
        for (const char* preconditioner : {"pbjacobi", "quadrille_mg", "bjacobi"}) {
          if (std::string(name) == "rows and columns" || std::string(sides) == "periodic") continue;
          if (preconditioner[0] == 'q' && !petsc::grid_multigrid_takes(of_few)) continue;
          const std::string options =
              std::string("-ksp_type gmres -ksp_rtol 1e-11 -pc_quadrille_mg_precision double -pc_type ") +
              preconditioner;
          found.set(0), expected.set(0);
          const SolveResult by_few = Solver(few.jacobian(), options).solve(w, found),
                            by_all = Solver(all.jacobian(), options).solve(w, expected);
          EXPECT_EQ(by_few.iterations, by_all.iterations) << preconditioner;
          const double size = expected.largest();
          EXPECT_LE(found.axpy(-1, expected).largest(), 1e-8 * size) << preconditioner;
        }
      }
    }
}

// When the operator is made it has no values yet, and zeros are no constants.
TEST(Residual, ItsFormatIsChosenWhenValuesAreThere) {
  const Grid grid{3, {160, 128, 128}, {0.5, 0.5, 0.5}, 1};
  const auto made = [&](const char* format) {
    return GridResidual(PETSC_COMM_WORLD, grid, star_stencil(3, 1), faces("value:0", grid),
                        on_both(Spreading{}, 1), {.format = format, .space = "cpu"});
  };
  GridResidual f = made("auto"), by_name = made("cds");
  if (f.jacobian().space() == SpaceKind::cpu || Session::ranks() > 1)
    GTEST_SKIP() << "no GPU, whose prediction is known here for one rank's share of the grid";
  EXPECT_EQ(f.jacobian().format(), "cds");
  const Vector u = drawn(f, 1), w = drawn(f, 2);
  Vector found = f.vector(), expected = f.vector();
  for (const double shift : {2.0, 3.0}) {
    for (GridResidual* each : {&f, &by_name}) each->differentiate(0, u, u, shift);
    EXPECT_EQ(f.jacobian().format(), "compact");
    f.jacobian().multiply(w, found);
    by_name.jacobian().multiply(w, expected);
    EXPECT_LE(found.axpy(-1, expected).largest(), 1e-14 * expected.largest());
  }
}

TEST(Residual, KeepsToItsStencil) {
  const Grid grid{2, {9, 7, 1}, {0.5, 0.4, 1}, 2};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("periodic", grid),
                 on_both(Everything{}, 2), {.space = "cpu"});
  EXPECT_THROW(f.differentiate(0, drawn(f, 1), drawn(f, 2), 1), InputError);
}

TEST(Residual, AsksForNodesBesideItsOwnAlone) {
  const Grid grid{2, {8, 8, 1}, {1, 1, 1}, 1};
  EXPECT_THROW(GridResidual(PETSC_COMM_WORLD, grid, star_stencil(2, 2), Boundary{}, on_both(Diffusing{}, 1)),
               InputError);
}

// An eigenvector of the discrete Laplacian, which decays by exp(-l t).
double error_after(double until_s, int steps, const std::string& options, bool fixed = true) {
  const std::int64_t n = 12;
  const double h = 1.0 / (n + 1);
  const Grid grid{2, {n, n, 1}, {h, h, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid), on_both(Diffusing{}, 1),
                 {.space = "cpu"});
  const double of_axis = 4 / (h * h) * std::pow(std::sin(0.5 * pi * h), 2);
  Vector u = f.vector();
  const auto mode = [=](const Position& p, int) {
    return std::sin(pi * h * static_cast<double>(p.x + 1)) * std::sin(pi * h * static_cast<double>(p.y + 1));
  };
  u.fill(mode);
  Vector exact = u;
  TimeSolver solver(f, "-ksp_rtol 1e-12 -snes_rtol 1e-12 " + options);
  const TimeResult result =
      solver.run(u, {.until_s = until_s, .dt_s = until_s / steps, .fixed = fixed}).or_throw();
  EXPECT_NEAR(result.t_s, until_s, 1e-12);
  EXPECT_TRUE(!fixed || result.steps == steps) << result.steps;
  EXPECT_TRUE(solver.unused_options().empty()) << solver.unused_options().front();
  exact.scale(std::exp(-2 * of_axis * until_s));
  const double size = exact.norm();
  return u.axpy(-1, exact).norm() / size;
}

TEST(InTime, OrdersOfTheMethods) {
  const std::pair<const char*, double> methods[] = {{"", 2}, {"-ts_type cn", 2}, {"-ts_type beuler", 1}};
  for (const auto& [options, order] : methods) {
    const double coarse = error_after(0.1, 20, options), fine = error_after(0.1, 40, options);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << options << ": " << coarse << " to " << fine;
  }
}

TEST(InTime, StepsFollowTheTolerance) {
  const double loose = error_after(0.1, 20, "-ts_rtol 1e-3 -ts_atol 1e-6", false),
               tight = error_after(0.1, 20, "-ts_rtol 1e-6 -ts_atol 1e-9", false);
  EXPECT_LT(loose, 2e-2);
  EXPECT_LT(tight, 5e-4);
  EXPECT_LT(tight, 0.1 * loose);
}

// One solve a step, by conjugate gradients where it is symmetric, and no Jacobian but of new shifts; the same
// result as by Newton's iterations.
TEST(InTime, ALinearResidualIsSolvedOnceAStep) {
  const Grid grid{2, {24, 20, 1}, {0.05, 0.05, 1}, 2};
  const auto run = [&](const auto& residual, const std::string& options, int& jacobians, TimeResult& result) {
    AnyResidual counted = on_both(residual, grid.dof);
    counted.differentiate = [&jacobians, inner = counted.differentiate](const auto&... of) {
      ++jacobians;
      return inner(of...);
    };
    GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1),
                   faces("value:0,robin:1,2,0,clamp,value:1", grid), counted, {.space = "cpu"});
    Vector u = f.vector();
    u.set(2);
    TimeSolver solver(f, options);
    result = solver.run(u, {.until_s = 1, .dt_s = 0.1, .fixed = true}).or_throw();
    KSP ksp = nullptr;
    KSPType method = nullptr;
    SNES snes = nullptr;
    EXPECT_EQ(TSGetSNES(solver.ts(), &snes), 0);
    EXPECT_EQ(SNESGetKSP(snes, &ksp), 0);
    EXPECT_EQ(KSPGetType(ksp, &method), 0);
    return std::pair(u, std::string(method));
  };
  for (const char* method : {"-ts_type beuler", "-ts_type cn", ""}) {
    SCOPED_TRACE(method);
    int once = 0, by_newton = 0, of_other = 0;
    TimeResult linear, newton, other;
    const auto [u, by] = run(Saying<true>{}, method, once, linear);
    const auto [v, by_too] =
        run(Saying<true>{}, std::string("-snes_type newtonls -snes_rtol 1e-10 -ksp_type gmres ") + method,
            by_newton, newton);
    const auto [w, by_others] = run(Saying<false>{.advection = 3}, method, of_other, other);
    EXPECT_EQ(by + by_too + by_others, "quadrille_cggmresfgmres");
    Vector difference = v;
    EXPECT_LT(difference.axpy(-1, u).norm(), 1e-6 * u.norm());
    const int solves = method[0] != 0 ? 10 : 11;  // BDF begins with two
    EXPECT_EQ(linear.newton_iterations, solves);
    EXPECT_EQ(other.newton_iterations, solves);
    EXPECT_GE(newton.newton_iterations, solves);
    const int shifts = method[0] != 0 ? 1 : 3;
    EXPECT_LE(once, shifts + 2);  // two more for what was said
    EXPECT_LE(of_other, shifts + 2);
  }
}

// With other coefficients the Jacobian is another one, although the steps are alike.
TEST(InTime, ALinearResidualMayGetOtherCoefficientsOnTheWay) {
  const Grid grid{2, {24, 20, 1}, {0.05, 0.05, 1}, 1};
  const auto run = [&](const std::string& options) {
    GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid),
                   on_both(Saying<true>{}, 1), {.space = "cpu"});
    Vector u = f.vector();
    u.set(2);
    int steps = 0;
    TimeSolver(f, "-ts_type beuler " + options)
        .run(u, {.until_s = 0.1, .dt_s = 0.01, .fixed = true},
             [&](double, const Vector&) {
               if (++steps == 4) f.use(on_both(Saying<true>{.d = 0.01}, 1));
             })
        .or_throw();
    return u;
  };
  const Vector once = run("");
  Vector newton = run("-snes_type newtonls -snes_rtol 1e-10 -snes_lag_preconditioner 1");
  EXPECT_LT(newton.axpy(-1, once).norm(), 1e-6 * once.norm());
}

TEST(InTime, AFunctorThatSaysWhatIsNotTrueIsRefused) {
  const Grid grid{2, {6, 5, 1}, {1, 1, 1}, 1};
  const auto said = [&](const auto& residual) {
    GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("clamp", grid), on_both(residual, 1),
                   {.space = "cpu"});
    const Vector u = drawn(f, 1), rate = drawn(f, 2);
    std::string text;
    for (int twice = 0; twice < 2; ++twice) try {
        text = "";
        f.differentiate(0, u, rate, 1);
      } catch (const InputError& error) {
        text = error.what();
      }
    return text;
  };
  EXPECT_EQ(said(Saying<true>{}), "");
  EXPECT_EQ(said(Saying<false>{.advection = 1}), "");
  EXPECT_EQ(said(Even<true>{}), "");
  EXPECT_EQ(said(Even<false>{.varies = 1e-6}), "");
  EXPECT_NE(said(Even<true>{.varies = 1e-6}).find("uniform"), std::string::npos);
  EXPECT_NE(said(Saying<true>{.advection = 1}).find("symmetric"), std::string::npos);
  EXPECT_NE(said(Saying<true>{.square = 1e-6}).find("linear"), std::string::npos);
  EXPECT_NE(said(Saying<false>{.in_time = 1e-6}).find("linear"), std::string::npos);
}

TEST(InTime, TheObserverSeesEveryStepAndMayThrow) {
  const Grid grid{2, {6, 6, 1}, {1, 1, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("clamp", grid), on_both(Diffusing{}, 1),
                 {.space = "cpu"});
  Vector u = f.vector();
  u.set(2);
  TimeSolver solver(f);
  std::vector<double> times;
  const auto note = [&](double t_s, const Vector& now) {
    times.push_back(t_s);
    EXPECT_NEAR(now.largest(), 2, 1e-8);
  };
  solver.run(u, {.until_s = 1, .dt_s = 0.25, .fixed = true}, note).or_throw();
  EXPECT_EQ(times, (std::vector<double>{0.25, 0.5, 0.75, 1}));
  times.clear();
  solver.run(u, {.from_s = 1, .until_s = 2, .dt_s = 0.5, .fixed = true}, note).or_throw();
  EXPECT_EQ(times, (std::vector<double>{1.5, 2}));
  EXPECT_THROW(solver.run(u, {.until_s = 1, .dt_s = 0.5, .fixed = true},
                          [](double, const Vector&) { throw std::runtime_error("stop"); }),
               std::runtime_error);
  const TimeResult cut = TimeSolver(f, "-ts_max_steps 3").run(u, {.until_s = 1, .dt_s = 0.1, .fixed = true});
  EXPECT_FALSE(cut.finished);
  EXPECT_EQ(cut.steps, 3);
  EXPECT_THROW(cut.or_throw(), NotConvergedError);
  for (const char* method : {"arkimex", "rk", "euler", "glee", "mimex", "discgrad"})
    EXPECT_THROW(TimeSolver(f, std::string("-ts_type ") + method).run(u, {.until_s = 1}), PetscOptionError)
        << method;
}

// PETSc's own counts go on where the number of steps does.
TEST(InTime, EachRunHasCountsOfItsOwn) {
  const Grid grid{2, {8, 6, 1}, {0.1, 0.1, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid),
                 on_both(Saying<true>{}, 1), {.space = "cpu"});
  Vector u = f.vector();
  u.set(2);
  TimeSolver solver(f, "-ts_type beuler");
  int before = 0;
  for (const int steps : {4, 2, 3}) {
    int seen = 0, krylov = 0;
    const TimeSpan span{.from_s = 0.1 * before,
                        .until_s = 0.1 * (before + steps),
                        .dt_s = 0.1,
                        .fixed = true,
                        .steps_before = before};
    const auto look = [&](double t_s, const Vector&) {
      const TimeResult now = solver.so_far();
      EXPECT_EQ(now.t_s, t_s);
      EXPECT_EQ(now.steps, ++seen);
      EXPECT_EQ(now.newton_iterations, seen);  // one solve a step
      EXPECT_GT(now.krylov_iterations, krylov);
      krylov = now.krylov_iterations;
    };
    const TimeResult leg = solver.run(u, span, look).or_throw();
    EXPECT_EQ(seen, steps);
    EXPECT_EQ(leg.newton_iterations, steps);
    EXPECT_EQ(leg.krylov_iterations, krylov);
    EXPECT_LT(leg.krylov_iterations, 30 * steps);
    before += steps;
  }
}

// A method of several steps takes none of an earlier run for its own, where u is another one by now.
TEST(InTime, ARunKnowsNothingOfOneThatItDoesNotGoOnFrom) {
  const Grid grid{2, {8, 6, 1}, {0.1, 0.1, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid),
                 on_both(Saying<true>{}, 1), {.space = "cpu"});
  const auto run = [&](TimeSolver& solver, double value, double from_s) {
    Vector u = f.vector();
    u.set(value);
    const TimeSpan span{
        .from_s = from_s, .until_s = from_s + 0.4, .dt_s = 0.1, .fixed = true, .steps_before = 4};
    solver.run(u, span).or_throw();
    return u;
  };
  TimeSolver alone(f), twice(f), later(f);
  const Vector expected = run(alone, 1, 1);
  run(twice, 500, 0.6), run(later, 500, 0);
  for (TimeSolver* solver : {&twice, &later}) {
    Vector u = run(*solver, 1, 1);
    EXPECT_LT(u.axpy(-1, expected).norm(), 1e-6 * expected.norm());
  }
}

// The first of all nodes, whichever rank has it.
TEST(Nonlinear, WhatIsNoNumberIsFound) {
  const Grid grid{2, {7, 5, 1}, {0.1, 0.1, 1}, 2};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid), on_both(Bratu{6}, 2),
                 {.space = "cpu"});
  Vector u = f.vector();
  EXPECT_FALSE(first_not_finite(u.layout(), u.vec()));
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto put = [&](double value, const Position& node, int of) {
    u.fill([&](const Position& p, int unknown) { return p == node && unknown == of ? value : 0; });
    const std::optional<NotFinite> place = first_not_finite(u.layout(), u.vec());
    return place && place->node == node && place->unknown == of &&
           (place->value == value || (std::isnan(value) && std::isnan(place->value)));
  };
  EXPECT_TRUE(put(nan, {0, 0, 0}, 1));
  EXPECT_TRUE(put(inf, {6, 2, 0}, 0));
  EXPECT_TRUE(put(-inf, {3, 4, 0}, 1));
  u.fill([&](const Position& p, int) { return p.x == 5 && p.y > 2 ? nan : p.x == 1 && p.y == 4 ? inf : 0; });
  EXPECT_EQ(to_string(*first_not_finite(u.layout(), u.vec())), "unknown 0 of node (5, 3, 0)");

  u.fill([](const Position& p, int unknown) { return p.x == 4 && p.y >= 2 && unknown == 1 ? 800.0 : 0; });
  const NonlinearResult result = NonlinearSolver(f).solve(u);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(std::isnan(result.residual));
  EXPECT_EQ(
      result.failure(),
      "Newton's iterations did not converge: the residual of unknown 1 of node (4, 2, 0) is -inf before "
      "the first iteration");
}

TEST(Nonlinear, AJacobianThatIsNoNumberIsFound) {
  const Grid grid{2, {7, 5, 1}, {0.1, 0.1, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid), on_both(Rooting{}, 1),
                 {.space = "cpu"});
  Vector u = f.vector();
  u.fill([](const Position& p, int) { return p.x == 4 && p.y == 2 ? 0.0 : 1.0; });
  const NonlinearResult result = NonlinearSolver(f).solve(u);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.failure().find("; the Jacobian of unknown 0 of node (4, 2, 0) is no number"),
            std::string::npos)
      << result.failure();
}

TEST(Nonlinear, BratuTurnsAround) {
  const std::int64_t n = 31;
  const double h = 1.0 / (n + 1);
  const Grid grid{2, {n, n, 1}, {h, h, 1}, 1};
  GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces("value:0", grid), on_both(Bratu{6}, 1),
                 {.space = "cpu"});
  Vector u = f.vector();
  const NonlinearResult six = NonlinearSolver(f).solve(u).or_throw();
  EXPECT_LE(six.newton_iterations, 8);
  EXPECT_LE(six.krylov_iterations, 8 * six.newton_iterations);
  const double at_six = u.largest();
  f.use(on_both(Bratu{6.7}, 1));
  NonlinearSolver(f, "-snes_max_it 30").solve(u).or_throw();
  EXPECT_GT(u.largest(), at_six);
  EXPECT_LT(u.largest(), 1.5);
  Vector zero = f.vector();
  f.use(on_both(Bratu{7}, 1));
  const NonlinearResult beyond = NonlinearSolver(f, "-snes_max_it 30").solve(zero);
  EXPECT_FALSE(beyond.converged);
  EXPECT_THROW(beyond.or_throw(), NotConvergedError);
  // Where it turns, from what it is below.
  double below = 6.7, above = 7;
  while (above - below > 0.01) {
    const double lambda = (below + above) / 2;
    f.use(on_both(Bratu{lambda}, 1));
    Vector next = u;
    const bool is_below = NonlinearSolver(f, "-snes_max_it 30").solve(next).converged;
    (is_below ? below : above) = lambda;
    if (is_below) u = next;
  }
  EXPECT_NEAR((below + above) / 2, 6.80812, 0.005 * 6.80812);
}

TEST(Residual, StoresWhatCouples) {
  const Grid grid{2, {9, 7, 1}, {0.5, 0.4, 1}, 2};
  const auto make = [&](const auto& residual) {
    return GridResidual(PETSC_COMM_WORLD, grid, star_stencil(2, 1),
                        faces("clamp,value:1,periodic,periodic", grid), on_both(residual, 2),
                        {.format = "csr", .space = "cpu"});
  };
  GridResidual said = make(Fed<true>{}), by_values = make(Fed<false>{});
  const std::int64_t bytes = said.jacobian().stored_bytes();
  for (const int seed : {1, 2}) {
    const Vector u = seed == 1 ? said.vector() : drawn(said, 5), rate = drawn(said, 2), w = drawn(said, 3);
    Vector a = said.vector(), b = said.vector();
    said.differentiate(0, u, rate, 1.5);
    by_values.differentiate(0, u, rate, 1.5);
    said.jacobian().multiply(w, a);
    by_values.jacobian().multiply(w, b);
    EXPECT_LE(a.axpy(-1, b).largest(), 1e-14);  // stored zeros may change the order of sums
    EXPECT_EQ(said.jacobian().stored_bytes(), bytes);
    EXPECT_EQ(by_values.jacobian().stored_bytes() < bytes, seed == 1) << "u(0) = 0 couples nothing";
  }
  said.use(on_both(Fed<true>{0.1}, 2));
  EXPECT_THROW(said.differentiate(0, drawn(said, 1), drawn(said, 2), 1), FormatError);
}

}  // namespace
}  // namespace quadrille
