// What multigrid makes of an operator when it is set up.
#include "assembly/pde/diffusion.hpp"
#include "assembly/pdes.hpp"
#include "cases.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/multigrid/galerkin.hpp"
#include "kernels/multigrid/neighbour_form.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille::multigrid_test {
namespace {

using multigrid::OnHost;

struct Shape {
  std::array<std::int64_t, 3> extents;
  int dof;
  const char* sides;
};
const Shape shapes[] = {{{16, 13, 1}, 1, "clamp"},
                        {{9, 8, 1}, 2, "periodic,periodic,clamp,clamp"},
                        {{24, 17, 1}, 1, "value:0"},
                        {{8, 9, 6}, 1, "periodic"},
                        {{5, 2, 7}, 2, "clamp"},
                        {{1, 9, 12}, 1, "clamp,clamp,periodic,periodic,value:0,value:0"},
                        {{31, 1, 1}, 1, "value:0,value:0,clamp,clamp"},
                        {{8, 9, 7}, 1, "value:0,clamp,periodic,periodic,clamp,value:1"},
                        {{13, 12, 11}, 1, "value:0"}};

// Of two nodes and two unknowns the same both ways.
struct SymmetricNoise {
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const double here = 7.0 * static_cast<double>(node.index) + r,
                 there = 7.0 * static_cast<double>(neighbour.index) + c, mixed = here + there + here * there;
    return mixed / 11 - static_cast<double>(static_cast<std::int64_t>(mixed / 11)) - 0.5;
  }
};

double largest_of(const Hub& a) {
  double largest = 0;
  for (const double v : a.values) largest = std::max(largest, std::abs(v));
  return largest;
}

// P^T A P, dense.
std::vector<double> product_of_transfer(const Hub& a, const GridTransfer<double>& p) {
  const Csr<double> of_a = to_csr(a), of_p = p.to_csr();
  const auto for_row = [](const Csr<double>& m, std::int64_t row, const auto& body) {
    for (std::int64_t k = m.row_ptr[row]; k < m.row_ptr[row + 1]; ++k) body(m.column[k], m.value[k]);
  };
  std::vector<double> dense(static_cast<std::size_t>(of_p.columns * of_p.columns));
  for (std::int64_t i = 0; i < of_a.rows; ++i)
    for_row(of_p, i, [&](std::int64_t row, double left) {
      for_row(of_a, i, [&](std::int64_t j, double value) {
        for_row(of_p, j, [&](std::int64_t column, double right) {
          dense[row * of_p.columns + column] += left * value * right;
        });
      });
    });
  return dense;
}

double largest_difference(const Hub& a, std::vector<double> dense) {
  const Csr<double> csr = to_csr(a);
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int64_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      dense[i * csr.columns + csr.column[k]] -= csr.value[k];
  double largest = 0;
  for (const double v : dense) largest = std::max(largest, std::abs(v));
  return largest;
}

TEST(GridMultigridSetUp, CoarseOperatorsAreTripleProducts) {
  OnHost machine;
  for (const Shape& s : shapes)
    for (const double jump : {1.0, 1e6}) {
      const Grid grid = grid_of(s.extents, {1, 1, 1}, s.dof);
      SCOPED_TRACE(to_string(grid) + " " + s.sides);
      const Hub a = jumping(grid, s.sides, 5, jump);
      const auto next = multigrid::coarsen(machine, a, false, LevelInterpolation::by_operator);
      ASSERT_TRUE(next.there);
      const Boundary boundary = parse_boundary(s.sides, grid.dimension);
      for (int axis = 0; axis < grid.dimension; ++axis) {
        const bool stays = s.extents[axis] == 1 || (boundary.periodic(axis) && s.extents[axis] < 5);
        EXPECT_EQ(next.halved[axis], !stays) << axis;
        if (stays) continue;
        const AxisInterpolation expected =
            nested_interpolation(s.extents[axis], boundary.faces[2 * axis], boundary.faces[2 * axis + 1]);
        EXPECT_EQ(next.axes()[axis].node, expected.node) << axis;
        // Beside a seam they are those of the coefficients.
        if (boundary.periodic(axis)) continue;
        EXPECT_EQ(next.axes()[axis].weight, expected.weight) << axis;
      }
      const Hub coarse = multigrid::galerkin(machine, a, next.nodes(multigrid::couplings_of(a)));
      EXPECT_NO_THROW(validate(coarse));
      const auto p = make_weighted_transfer(next.axes(), s.dof, copy_to<Host>(next.weights), SpaceKind::cpu);
      EXPECT_LE(largest_difference(coarse, product_of_transfer(a, *p)), 1e-12 * largest_of(a));
    }
}

// Where some axes are let be, those along lines, too.
TEST(GridMultigridSetUp, CoarseOperatorsOfWeakAxesAreTripleProducts) {
  OnHost machine;
  for (const std::array<double, 3>& spacing :
       {std::array<double, 3>{1, 0.1, 0.1}, {0.1, 1, 0.1}, {0.1, 1, 1}, {1, 1, 0.1}})
    for (const char* sides : {"clamp", "periodic,periodic,value:0,value:0,value:0,clamp"})
      for (const int dof : {1, 2}) {
        const Grid grid = grid_of({9, 10, 11}, spacing, dof);
        SCOPED_TRACE(to_string(grid) + " " + sides + " " + std::to_string(spacing[0]));
        const Hub a = jumping(grid, sides, 5, 10);
        const auto next = multigrid::coarsen(machine, a, true, LevelInterpolation::by_operator);
        for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(next.halved[axis], spacing[axis] == 0.1) << axis;
        const Hub coarse = multigrid::galerkin(machine, a, next.nodes(multigrid::couplings_of(a)));
        const auto p = make_weighted_transfer(next.axes(), dof, copy_to<Host>(next.weights), SpaceKind::cpu);
        EXPECT_LE(largest_difference(coarse, product_of_transfer(a, *p)), 1e-12 * largest_of(a));
      }
}

// Around an axis of 11 nodes 6 stay, two of which are half as far apart as the others, and of 9 nodes 5.
TEST(GridMultigridSetUp, WeightsBesideASeamAreLinearInDistances) {
  OnHost machine;
  const Hub a = poisson(grid_of({11, 9, 1}), "periodic");
  const auto coarsen = [&](const Hub& of) {
    return multigrid::coarsen(machine, of, false, LevelInterpolation::as_suits);
  };
  const auto first = coarsen(a);
  const auto second = coarsen(multigrid::galerkin(machine, a, first.nodes(multigrid::couplings_of(a))));
  ASSERT_TRUE(first.there && second.there);
  EXPECT_FALSE(first.by_operator || second.by_operator);
  for (const int axis : {0, 1})
    for (const double weight : first.axes()[axis].weight)
      EXPECT_EQ(weight, weight == 1 || weight == 0 ? weight : 0.5);
  // Node 1 between nodes 0, at 1/2, and 2, at 1; node 5 between 4 and 0.
  const std::vector<double>& even = second.axes()[0].weight;
  EXPECT_NEAR(even[2], 2.0 / 3, 1e-6);
  EXPECT_NEAR(even[3], 1.0 / 3, 1e-6);
  EXPECT_EQ(even[10], 0.5);
  // Node 0 between nodes 4, at 1, and 1, at 1/2.
  const std::vector<double>& odd = second.axes()[1].weight;
  EXPECT_NEAR(odd[0], 1.0 / 3, 1e-6);
  EXPECT_NEAR(odd[1], 2.0 / 3, 1e-6);
}

TEST(GridMultigridSetUp, LinearCoarseOperatorsOfDenseBlocks) {
  OnHost machine;
  std::vector<Shape> all(std::begin(shapes), std::end(shapes));
  all.push_back({{10, 9, 8}, 1, "clamp"});
  all.push_back({{9, 12, 7}, 1, "clamp,value:0,value:0,clamp,clamp,value:0"});
  for (const Shape& s : all)
    for (const char* stencil : {"star", "box"})
      for (const int dof : {1, 3}) {
        const Grid grid = grid_of(s.extents, {1, 1, 1}, dof);
        SCOPED_TRACE(to_string(grid) + " " + s.sides + " " + stencil);
        const Hub a = dominant_blocks(grid, stencil, s.sides, 1.0);
        const auto next = multigrid::coarsen(machine, a, false, LevelInterpolation::linear);
        const Hub coarse = multigrid::galerkin(machine, a, next.nodes(multigrid::couplings_of(a)));
        const auto p = make_grid_transfer<double>(next.axes(), dof, SpaceKind::cpu);
        EXPECT_LE(largest_difference(coarse, product_of_transfer(a, *p)), 1e-12 * largest_of(a));
      }
}

// Between kinds coarse operators have what P^T A P sums to over a row's neighbours, at the node itself; where
// weights differ between kinds, the mean with what its columns sum to.
TEST(GridMultigridSetUp, CoarseOperatorsOfKinds) {
  OnHost machine;
  for (const auto interpolation : {LevelInterpolation::linear, LevelInterpolation::by_operator}) {
    const Hub a =
        reacting(grid_of({11, 8, 7}, {1, 1, 1}, 3), "value:0,clamp,periodic,periodic,clamp,clamp", 5, true);
    const auto next = multigrid::coarsen(machine, a, false, interpolation);
    const multigrid::Nodes p = next.nodes(multigrid::couplings_of(a));
    Hub coarse = multigrid::galerkin(machine, a, p),
        whole = multigrid::galerkin(machine, a, p, nullptr, {}, {}, CoarseOperators::galerkin);
    EXPECT_NO_THROW(validate(coarse));
    EXPECT_EQ(coarse.fill, a.fill);
    EXPECT_FALSE(whole.fill.said());
    const std::int64_t centre = centre_of(coarse);
    double of_other_kinds = 0, asymmetry = 0, sums = 0;
    for (std::int64_t row = 0; row < whole.rows(); ++row)
      for (int c = 0; c < a.dof; ++c) {
        double sum = 0;
        for (std::int64_t d = 0; d < whole.diagonals(); ++d) {
          sum += entry(coarse, d, c, row) - entry(whole, d, c, row);
          if (d != centre && row % a.dof != c)
            of_other_kinds = std::max(of_other_kinds, std::abs(entry(whole, d, c, row)));
        }
        const std::int64_t node = row / a.dof, other = node * a.dof + c;
        const int kind = static_cast<int>(row % a.dof);
        sums = std::max(sums, std::abs(sum));
        asymmetry =
            std::max(asymmetry, std::abs(entry(coarse, centre, c, row) - entry(coarse, centre, kind, other)));
      }
    EXPECT_LE(asymmetry, 1e-12 * largest_of(a));
    EXPECT_LE(sums, (interpolation == LevelInterpolation::linear ? 1e-12 : 0.1) * largest_of(a));
    EXPECT_GT(of_other_kinds, 0.01);
  }
}

// A Laplacian of higher order is that of second order for what is quadratic.
TEST(GridMultigridSetUp, NeighbourFormOfAWideStarIsTheNarrowOne) {
  OnHost machine;
  for (const int radius : {1, 2, 3, 4})
    for (const Grid& grid : {grid_of({20, 11, 1}, {1, 0.5, 1}), grid_of({9, 12, 10})}) {
      const Hub wide = poisson(grid, "periodic", "star", radius), narrow = poisson(grid, "periodic");
      const Vector x = noise(wide.rows(), 1);
      EXPECT_LE(distance(Product(multigrid::neighbour_form(machine, wide))(x), Product(narrow)(x)), 1e-13)
          << radius;
    }
}

// Of symmetric blocks it has the row sums within each unknown and the symmetry, on any faces.
TEST(GridMultigridSetUp, NeighbourFormKeepsRowSumsAndSymmetry) {
  OnHost machine;
  for (const Shape& s : shapes)
    for (const auto& [radius, sides] :
         {std::pair(2, "value:0"), {2, "periodic"}, {3, "value:0"}, {3, "periodic"}}) {
      const Grid grid = grid_of(s.extents, {1, 1, 1}, s.dof);
      SCOPED_TRACE(to_string(grid) + " " + sides + " " + std::to_string(radius));
      const auto short_axis = [r = radius](std::int64_t n) { return n > 1 && n <= 2 * r; };
      if (sides == std::string("periodic") && std::any_of(s.extents.begin(), s.extents.end(), short_axis))
        continue;
      const Hub a = assemble<double>(grid, box_stencil(grid.dimension, radius),
                                     parse_boundary(sides, grid.dimension), SymmetricNoise{})
                        .hub;
      const Hub near = multigrid::neighbour_form(machine, a);
      EXPECT_LE(multigrid::reach_of(near.offsets), 1);
      const Vector x = noise(a.rows(), 1), y = noise(a.rows(), 2), ax = Product(near)(x),
                   ay = Product(near)(y);
      EXPECT_NEAR(dot(ax, y), dot(x, ay), 1e-12 * norm(ax) * norm(y));
      for (int c = 0; c < s.dof; ++c) {
        Vector ones(x.size(), 0.0);
        for (std::size_t i = c; i < ones.size(); i += s.dof) ones[i] = 1;
        const Vector expected = Product(a)(ones), found = Product(near)(ones);
        for (std::size_t i = c; i < ones.size(); i += s.dof) ASSERT_NEAR(found[i], expected[i], 1e-11);
      }
    }
}

// Of how many elements the longest loop was.
struct Watched : OnHost {
  std::int64_t longest = 0;
  template <class F>
  void for_each(std::int64_t n, const F& f) {
    longest = std::max(longest, n);
    OnHost::for_each(n, f);
  }
  template <class F>
  std::vector<double> sums(const F& f) {
    longest = std::max(longest, f.size());
    return OnHost::sums(f);
  }
  template <class F>
  double largest(const F& f) {
    longest = std::max(longest, f.size());
    return OnHost::largest(f);
  }
};

// The host goes through levels of few rows before a GPU does what is of all rows. It once made weights of all
// rows there, 1 GB at 256^3, which nobody used.
TEST(GridMultigridSetUp, AChoiceLooksAtTheStoredRowsAlone) {
  Hub a = poisson(grid_of({24, 24, 24}), "value:0");
  for (std::int64_t row = 0; row < a.rows(); ++row) entry(a, centre_of(a), 0, row) += 40;
  const StoredNodes few = few_nodes({24, 24, 24}, {false, false, false}, LineWords::none);
  Hub stored;
  static_cast<BlockStructure&>(stored) = a;
  stored.values = Array<double>(a.diagonals() * few.nodes());
  Watched machine;
  machine.OnHost::for_each(
      stored.values.size(),
      multigrid::TakeStored{multigrid::couplings_of(a), few, a.values.data(), stored.values.data()});
  for (const LevelInterpolation wish : {LevelInterpolation::as_suits, LevelInterpolation::by_operator}) {
    const auto next = multigrid::choose_coarsening(machine, stored, true, wish, nullptr, few);
    EXPECT_EQ(next.by_operator, wish == LevelInterpolation::by_operator);
    EXPECT_EQ(next.weights.size(), 0);
  }
  EXPECT_GT(machine.longest, 0);
  EXPECT_LE(machine.longest, few.nodes());
}

// On grids with and without a band, of which some wrap around.
TEST(GridMultigridSetUp, FactorsOfTheCoarsestGridSolveIt) {
  OnHost machine;
  for (const Shape& s : shapes)
    for (const int dof : {1, 3}) {
      const Grid grid = grid_of(s.extents, {1, 1, 1}, dof);
      SCOPED_TRACE(to_string(grid) + " " + s.sides + " " + std::to_string(dof));
      const Hub a = dominant_blocks(grid, "box", s.sides, 1.1);
      multigrid::BandFactors factors;
      machine.begin_coarsest(factors, multigrid::couplings_of(a), a.values.data(), false);
      const Vector x = noise(a.rows(), 7), b = Product(a)(x);
      Vector found(x.size());
      machine.solve_coarsest(factors, b.data(), found.data());
      EXPECT_LE(distance(found, x), 1e-12);
    }
}

// Who asks for a larger grid again gets one, until they would take too long: each time more iterations are to
// be saved by it.
void larger_grids_are_solved_exactly(const std::array<std::int64_t, 3>& extents, SpaceKind space) {
  const Hub a = jumping(grid_of(extents), "value:0", 3);
  GridMultigridOptions options;
  std::vector<std::int64_t> sizes;
  for (double saved = 0; std::isfinite(saved) && sizes.size() < 10;) {
    options.saved_iterations = static_cast<int>(std::ceil(saved));
    const GridMultigridInfo info = Cycle(a, options, space).info();
    EXPECT_GT(info.levels.back().unknowns, sizes.empty() ? 0 : sizes.back());
    EXPECT_GT(info.iterations_of_exact, saved);
    sizes.push_back(info.levels.back().unknowns);
    saved = info.iterations_of_exact;
  }
  EXPECT_GE(sizes.size(), 2);
}
TEST(GridMultigridSetUp, LargerAndLargerGridsAreSolvedExactly_cpu) {
  larger_grids_are_solved_exactly({130, 127, 1}, SpaceKind::cpu);
}
TEST(GridMultigridSetUp, LargerAndLargerGridsAreSolvedExactly_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  larger_grids_are_solved_exactly({520, 517, 1}, SpaceKind::cuda);
}

// So may one of a symmetric operator whose coefficients do not jump; of advection none.
TEST(GridMultigridSetUp, LargerGridsOfSymmetricOperatorsMayBeSolvedExactly) {
  const auto to_save = [](const Hub& a) { return Cycle(a, {}, SpaceKind::cpu).info().iterations_of_exact; };
  EXPECT_TRUE(std::isfinite(to_save(poisson(grid_of({65, 63, 1}), "value:0"))));
  EXPECT_FALSE(std::isfinite(to_save(convection(grid_of({65, 63, 1}), "value:0", {3, -1, 0}))));
}

// A row of zeros and its column take no part: the others are solved as if they were not there.
TEST(GridMultigridSetUp, FactorsLeaveOutWhatIsNotThere) {
  OnHost machine;
  const Grid grid = grid_of({9, 8, 1}, {1, 1, 1}, 1);
  Hub a = dominant_blocks(grid, "star", "value:0", 1.1);
  constexpr std::int64_t none = 40;
  cut(a, 0, true, [](std::int64_t node) { return node == none; });
  multigrid::BandFactors factors;
  machine.begin_coarsest(factors, multigrid::couplings_of(a), a.values.data(), false);
  Vector x = noise(a.rows(), 7);
  x[none] = 0;
  const Vector b = Product(a)(x);
  Vector found(x.size());
  machine.solve_coarsest(factors, b.data(), found.data());
  EXPECT_EQ(found[none], 0);
  EXPECT_LE(distance(found, x), 1e-12);
}

// Conditions that are written in the rows of a face, as PETSc's programs have them, say nothing of how strong
// axes are, nor is what is beside them even where they hold some unknowns and not others.
TEST(GridMultigridSetUp, RowsOfFacesThatAreConditions) {
  OnHost machine;
  const Grid grid = grid_of({20, 6, 1}, {0.1, 1, 1}, 2);
  Hub a = poisson(grid, "clamp");
  const std::int64_t rows = a.rows();
  for (std::int64_t x = 0; x < 20; ++x)
    for (const int side : {0, 1})
      for (int c = 0; c < 2; ++c) {
        const std::int64_t row = 2 * (x + 20 * (side == 0 ? 0 : 5)) + c;
        for (std::int64_t d = 0; d < a.diagonals(); ++d) {
          const NodeOffset o = a.offsets[d];
          const bool own = o == NodeOffset{}, in = o == NodeOffset{0, side == 0 ? 1 : -1, 0};
          for (int column = 0; column < 2; ++column)
            a.values[(d * 2 + column) * rows + row] = column != c ? 0 : own ? 1 : in && c == 1 ? -1 : 0;
        }
      }
  const auto next = multigrid::choose_coarsening(machine, a, true, LevelInterpolation::linear);
  EXPECT_EQ(next.halved, (std::array<bool, 3>{true, false, false}));
  EXPECT_FALSE(next.choice[0].high.uneven);
  EXPECT_TRUE(next.choice[1].high.uneven);
}

// After a last node that was kept the node before it is between two at unlike distances.
TEST(GridMultigridSetUp, WeightsBesideALastNodeThatWasKept) {
  OnHost machine;
  Grid grid = grid_of({16, 16, 1}, {1, 1, 1}, 2);
  const Hub a = assemble_whole_pde("elasticity", grid, box_stencil(2, 1),
                                   parse_boundary("value:0,flux:0,flux:0,flux:0", 2), {})
                    .system.hub;
  const auto linear = LevelInterpolation::linear;
  const auto first = multigrid::coarsen(machine, a, false, linear);
  ASSERT_EQ(first.axes()[1].coarse, 9);
  for (const double weight : first.axes()[1].weight)
    EXPECT_EQ(weight, weight == 1 || weight == 0 ? weight : 0.5);
  const auto second = multigrid::coarsen(
      machine, multigrid::galerkin(machine, a, first.nodes(multigrid::couplings_of(a))), false, linear);
  EXPECT_EQ(second.axes()[1].coarse, 5);
  EXPECT_NEAR(second.axes()[1].weight[2 * 7 + 1], 0.7, 0.06);
  EXPECT_EQ(second.axes()[1].weight[2 * 5 + 1], 0.5);
}

// What rows and faces tell of the axes, of all rows and of few that stand for them, against plain sums.
TEST(AxisSums, AreThoseOfRowsAndFaces) {
  using multigrid::AxisSums;
  const std::array<std::int64_t, 3> n{11, 9, 12};
  for (const char* stencil : {"star", "box"})
    for (const bool few : {false, true}) {
      SCOPED_TRACE(std::string(stencil) + (few ? " few" : " all"));
      const Hub a =
          poisson(grid_of(n, {1, 0.7, 1.3}), "value:0,clamp,clamp,value:0,value:0,value:0", stencil);
      const std::int64_t rows = a.rows(), centre = centre_of(a);
      double expected[AxisSums::count] = {};
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
        double sum = 0, inwards[3][2] = {};
        for (std::int64_t d = 0; d < a.diagonals(); ++d) {
          const double value = a.values[d * rows + row];
          const std::int64_t offset[3] = {a.offsets[d].x, a.offsets[d].y, a.offsets[d].z};
          sum += value;
          for (int axis = 0; axis < 3; ++axis) {
            if (offset[axis] == 0) continue;
            inwards[axis][offset[axis] > 0 ? 0 : 1] -= value;
            expected[axis] -= value / a.values[centre * rows + row];
          }
        }
        for (int axis = 0; axis < 3; ++axis)
          if (at[axis] == n[axis] - 2)
            for (const int back : {0, 1}) expected[AxisSums::before_last(axis) + back] += inwards[axis][back];
        for (int axis = 0; axis < 3; ++axis)
          for (const int side : {0, 1}) {
            if (at[axis] != (side == 0 ? 0 : n[axis] - 1)) continue;
            expected[AxisSums::of_face(axis, side)] += sum;
            expected[AxisSums::of_face(axis, side) + 1] += inwards[axis][side];
            bool meets_another = false;
            for (int other = 0; other < 3; ++other)
              meets_another =
                  meets_another || (other != axis && (at[other] == 0 || at[other] == n[other] - 1));
            if (!meets_another && sum > 0.5 * inwards[axis][side])
              expected[AxisSums::of_face(axis, side) + 2] += inwards[axis][side];
          }
      }
      OnHost host;
      const multigrid::Couplings all = multigrid::couplings_of(a);
      StoredNodes stored;
      if (few) stored = few_nodes(all.n, all.wraps, LineWords::padded);
      ASSERT_EQ(stored.all, !few);
      Array<double> values(a.diagonals() * (few ? stored.nodes() : rows));
      if (few)
        host.for_each(values.size(), multigrid::TakeStored{all, stored, a.values.data(), values.data()});
      else
        std::copy(a.values.begin(), a.values.end(), values.data());
      const multigrid::Couplings s = multigrid::couplings_of(a, nullptr, stored);
      const std::vector<double> found =
          host.sums(AxisSums{s, values.data(), multigrid::whole_axes(s, nullptr)});
      for (int k = 0; k < AxisSums::count; ++k)
        EXPECT_NEAR(found[k], expected[k], 1e-10 * (1 + std::abs(expected[k]))) << k;
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
