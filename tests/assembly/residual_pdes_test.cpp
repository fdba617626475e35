// The PDEs that are given by their residuals: what the ranks evaluate is the whole, and Jacobians are
// derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "assembly/pdes.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "tests/pde_cases.hpp"

namespace quadrille {
namespace {

std::vector<const Pde*> residual_pdes() {
  std::vector<const Pde*> all;
  for (const Pde& pde : pdes())
    if (pde.residual != nullptr) all.push_back(&pde);
  return all;
}

Grid grid_for(const Pde& pde, int dimension) {
  const Discretisation& taken = pde.discretisation;
  const int dof =
      taken.coupled && taken.dof == 0 && !taken.unknown_per_axis ? 3 : default_dof(taken, dimension);
  return {dimension, {9, 8, dimension == 3 ? 7 : 1}, {0.1, 0.02, 0.3}, dof};
}

// Of a box, from numbers of the whole grid.
struct State {
  NodeWindow window;
  std::vector<double> u, rate;
  // Of faces that outlive it.
  ResidualState of(const Grid& grid, const FaceValues& faces, const NodeBox& box) const {
    return {grid, faces.on_host(), box, window, u.data(), rate.data(), 0.3};
  }
};

State part_of(const Grid& grid, const NodeBox& box, const std::vector<double>& u,
              const std::vector<double>& rate) {
  State state{window_around(grid, box), {}, {}};
  const auto add = [&](std::vector<double>& to, const std::vector<double>& from, std::int64_t node) {
    for (int r = 0; r < grid.dof; ++r) to.push_back(from[static_cast<std::size_t>(node * grid.dof + r)]);
  };
  for (std::int64_t i = 0; i < state.window.nodes(); ++i)
    add(state.u, u, node_index(grid, state.window.position(i)));
  for (std::int64_t line = 0; line < box.lines(); ++line)
    for (std::int64_t i = 0; i < box.size[0]; ++i) {
      const NodePosition at = box.first_of_line(line);
      add(state.rate, rate, node_index(grid, {at[0] + i, at[1], at[2]}));
    }
  return state;
}

std::vector<double> drawn(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> some(0.1, 0.9);
  std::vector<double> values(static_cast<std::size_t>(size));
  std::generate(values.begin(), values.end(), [&] { return some(random); });
  return values;
}

std::vector<double> evaluated(const AnyResidual& residual, const Grid& grid, const Boundary& boundary,
                              const std::vector<double>& u, const std::vector<double>& rate) {
  const NodeBox whole = whole_box(grid.extents);
  std::vector<double> f(u.size());
  const State state = part_of(grid, whole, u, rate);
  const FaceValues faces(grid, boundary, false);
  residual.evaluate(state.of(grid, faces, whole), f.data());
  return f;
}

TEST(ResidualPdes, OfTheRanksAreTheWhole) {
  for (const Pde* pde : residual_pdes())
    for (const int dimension : {2, 3})
      for (const BoundaryKind kind : {pde->faces.front(), BoundaryKind::periodic}) {
        if (!takes(*pde, kind)) continue;
        SCOPED_TRACE(pde->name);
        const Grid grid = grid_for(*pde, dimension);
        Boundary boundary;
        boundary.faces.fill({kind, 0});
        if (pde->discretisation.unknown_per_axis)
          boundary.faces[0] = boundary.faces[1] = {BoundaryKind::value};
        PdeInput input;
        input.manufactured = pde->order > 0;
        const Stencil stencil = make_stencil(default_stencil(pde->discretisation), dimension, 1);
        const ResidualProblem whole =
            residual_of_pde(*pde, grid, stencil, boundary, input, whole_box(grid.extents));
        const std::vector<double> u = drawn(grid.rows(), 1), rate = drawn(grid.rows(), 2),
                                  f = evaluated(whole.residual, grid, boundary, u, rate);
        std::array<bool, 3> periodic{};
        for (int axis = 0; axis < dimension; ++axis) periodic[axis] = boundary.periodic(axis);
        for (int rank = 0; rank < 4; ++rank) {
          const NodeBox box = own_box(make_partition(grid.extents, periodic, 4, rank));
          const ResidualProblem part = residual_of_pde(*pde, grid, stencil, boundary, input, box);
          const State state = part_of(grid, box, u, rate);
          std::vector<double> of_part(static_cast<std::size_t>(box.nodes() * grid.dof));
          part.residual.evaluate(state.of(grid, FaceValues(grid, boundary, false), box), of_part.data());
          for (std::int64_t i = 0; i < box.nodes(); ++i) {
            const NodePosition at = box.first_of_line(i / box.size[0]);
            const std::int64_t node = node_index(grid, {at[0] + i % box.size[0], at[1], at[2]});
            for (int r = 0; r < grid.dof; ++r) {
              ASSERT_EQ(of_part[i * grid.dof + r], f[node * grid.dof + r]);
              ASSERT_EQ(part.initial[i * grid.dof + r], whole.initial[node * grid.dof + r]);
            }
          }
        }
      }
}

// One kind all round or, where the displacement of a body has to be held, between two faces that hold it.
std::string sides_of(const Pde& pde, BoundaryKind kind) {
  return pde.discretisation.unknown_per_axis ? "value:0,value:0," + written(kind, 0) + "," + written(kind, 0)
                                             : written(kind, 0);
}

// Column by column against central differences.
TEST(ResidualPdes, JacobiansAreDerivatives) {
  for (const Pde* pde : residual_pdes())
    for (const BoundaryKind kind : pde->faces) {
      SCOPED_TRACE(pde->name + " " + usage(kind));
      const Grid grid = grid_for(*pde, 2);
      const Boundary boundary = parse_boundary(sides_of(*pde, kind), 2);
      const NodeBox whole = whole_box(grid.extents);
      const Stencil stencil = make_stencil(default_stencil(pde->discretisation), 2, 1);
      const ResidualProblem problem = residual_of_pde(*pde, grid, stencil, boundary, {}, whole);
      const AnyResidual& residual = problem.residual;
      const BlockStructure structure = block_structure(grid, stencil, boundary);
      std::vector<double> u = drawn(grid.rows(), 3), rate = drawn(grid.rows(), 4);
      const double shift = 2.5, step = 1e-6;
      BlockDiagonals<double> jacobian;
      static_cast<BlockStructure&>(jacobian) = structure;
      jacobian.values = Array<double>(value_bytes(structure, 8) / 8);
      const FaceValues faces(grid, boundary, false);
      const State state = part_of(grid, whole, u, rate);
      EXPECT_EQ(residual.differentiate(state.of(grid, faces, whole), shift, jacobian_shape(structure), true,
                                       jacobian.values.data()),
                0);
      const Csr<double> csr = to_csr(jacobian);
      std::vector<double> dense(static_cast<std::size_t>(grid.rows() * grid.rows()), 0.0);
      for (std::int64_t row = 0; row < csr.rows; ++row)
        for (std::int64_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k)
          dense[row * grid.rows() + csr.column[k]] += csr.value[k];
      double largest = 0;
      for (const double value : dense) largest = std::max(largest, std::abs(value));
      for (std::int64_t column = 0; column < grid.rows(); column += 3) {
        const auto moved = [&](double by) {
          std::vector<double> at = u, at_rate = rate;
          at[column] += by, at_rate[column] += shift * by;
          return evaluated(residual, grid, boundary, at, at_rate);
        };
        const std::vector<double> above = moved(step), below = moved(-step);
        for (std::int64_t row = 0; row < grid.rows(); ++row)
          ASSERT_NEAR(dense[row * grid.rows() + column], (above[row] - below[row]) / (2 * step),
                      1e-7 * largest)
              << row << ", " << column;
      }
    }
}

TEST(ResidualPdes, RefuseWhatTheyDoNotTake) {
  const Pde& heat = find_pde("heat");
  const Grid grid = grid_for(heat, 2);
  PdeInput manufactured;
  manufactured.manufactured = true;
  const auto of = [&](const Pde& pde, const Grid& on, const char* sides, const PdeInput& input) {
    return residual_of_pde(pde, on, star_stencil(2, 1), parse_boundary(sides, 2), input,
                           whole_box(on.extents));
  };
  EXPECT_NO_THROW(of(heat, grid, "clamp", manufactured));
  EXPECT_THROW(of(heat, grid, "value:1", manufactured), InputError);
  EXPECT_THROW(of(find_pde("bratu"), grid, "value:0", manufactured), InputError);
  EXPECT_THROW(of(find_pde("gray_scott"), grid, "periodic", {}), InputError);  // one unknown
  EXPECT_THROW(of(find_pde("cahn_hilliard"), grid_for(find_pde("cahn_hilliard"), 2), "value:1", {}),
               InputError);
  EXPECT_THROW(assemble_pde("heat", grid, star_stencil(2, 1), {}, {}, whole_box(grid.extents)), InputError);
}

}  // namespace
}  // namespace quadrille
