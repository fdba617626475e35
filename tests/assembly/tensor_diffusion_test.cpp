#include "assembly/pde/tensor_diffusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assembly/device_operators.hpp"
#include "assembly/pde/counter_hash.hpp"
#include "assembly/pdes.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/assembly/dense_reference.hpp"
#include "tests/assembly/part_of_whole.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {
namespace {

using Doubles = std::vector<double>;

double drawn(std::int64_t i) {
  return signed_unit(counter_hash(7, static_cast<std::uint64_t>(i)));
}

// K = L L^T of a random lower triangle L, far from a multiple of the unit tensor.
TensorField random_tensors(const Grid& grid) {
  const int numbers = tensor_numbers(grid.dimension);
  Array<double> k(grid.nodes() * numbers);
  for (std::int64_t node = 0; node < grid.nodes(); ++node)
    for (int a = 0; a < grid.dimension; ++a)
      for (int b = a; b < grid.dimension; ++b) {
        double sum = 0;
        for (int c = 0; c <= a; ++c) {
          const auto lower = [&](int row) { return drawn(9 * node + 3 * row + c) + (row == c ? 1.5 : 0); };
          sum += lower(a) * lower(b);
        }
        k[node * numbers + tensor_place(grid.dimension, a, b)] = sum;
      }
  return tensor_field(grid, std::move(k), "K");
}

AssembledOperator<double> assembled(const Grid& grid, const std::string& sides, const TensorField& field) {
  const Stencil box = box_stencil(grid.dimension, 1);
  const Boundary faces = parse_boundary(sides, grid.dimension);
  const TensorCoefficients c = tensor_diffusion(grid, box, faces, whole_box(grid.extents), field);
  return assemble<double>(grid, box, faces, c.functor());
}

// K = (2, 1, 3) everywhere, h = 1: the diagonals have -K_xy/2 and K_xy/2. Beside two closed faces, at a
// corner, what is left of K there is 0, and along one 2 - 1/3 in half of the triads.
TEST(TensorDiffusion, ByHand) {
  const Grid grid = parse_grid("5x5");
  Array<double> k(3 * grid.nodes());
  for (std::int64_t i = 0; i < grid.nodes(); ++i) k[3 * i] = 2, k[3 * i + 1] = 1, k[3 * i + 2] = 3;
  const TensorField field{std::move(k)};
  reference::Dense a = reference::dense_of(assembled(grid, "clamp", field).hub);
  EXPECT_EQ(a.at(12, 12), 10);
  EXPECT_EQ(a.at(12, 13), -2);
  EXPECT_EQ(a.at(12, 17), -3);
  EXPECT_EQ(a.at(12, 18), -0.5);
  EXPECT_EQ(a.at(12, 16), 0.5);
  // Nodes 1 and 2 of the lowest line: two triads of each, one of them closed below, whose K is (5/3, 0, 0);
  // of the other, K_xy s_x s_y cancels between both nodes.
  EXPECT_NEAR(a.at(1, 2), -0.25 * 2 * (2 + 5.0 / 3), 1e-15);
  // A value of 1 all round is what constants have: the right side is A times them.
  const auto values = assembled(grid, "value:1", field);
  const Doubles product = reference::apply(values.hub, Doubles(25, 1.0));
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(values.rhs[i], product[i], 1e-14) << i;
  EXPECT_NEAR(values.rhs[12], 0, 1e-14);
  EXPECT_GT(values.rhs[0], 1);
}

// A diagonal K, even one that varies, has the star with the arithmetic means of both nodes.
TEST(TensorDiffusion, DiagonalTensorsHaveTheStar) {
  Grid grid = parse_grid("4x3x3");
  grid.spacing_m = {1, 2, 0.5};
  TensorField field = random_tensors(grid);
  for (std::int64_t i = 0; i < grid.nodes(); ++i)
    for (const int off : {1, 2, 4}) field.k[6 * i + off] = 0;
  for (const char* sides : {"clamp", "periodic,periodic,clamp,drop,value:2,value:1"}) {
    reference::Dense a = reference::dense_of(assembled(grid, sides, field).hub);
    for (std::int64_t i = 0; i < grid.nodes(); ++i)
      for (std::int64_t j = 0; j < grid.nodes(); ++j) {
        const Position p = node_position(grid, i), q = node_position(grid, j);
        const int apart = (p.x != q.x) + (p.y != q.y) + (p.z != q.z);
        if (apart > 1) {
          EXPECT_EQ(a.at(i, j), 0) << sides << " " << i << " " << j;
        }
        if (std::abs(p.y - q.y) == 1 && apart == 1) {
          EXPECT_NEAR(a.at(i, j), -(field.k[6 * i + 3] + field.k[6 * j + 3]) / 8, 1e-14) << i << " " << j;
        }
      }
  }
}

// u^T A u > 0 for all u but constants: by Cholesky's pivots, the last of which is 0 where nothing holds u.
void expect_definite(reference::Dense a, bool singular, const std::string& what) {
  const std::int64_t n = a.rows;
  for (std::int64_t pivot = 0; pivot < n; ++pivot) {
    if (singular && pivot == n - 1)
      ASSERT_NEAR(a.at(pivot, pivot), 0, 1e-9) << what;
    else
      ASSERT_GT(a.at(pivot, pivot), 1e-6) << what << " " << pivot;
    for (std::int64_t i = pivot + 1; i < n; ++i)
      for (std::int64_t j = n - 1; j > pivot; --j)
        a.at(i, j) -= a.at(i, pivot) / a.at(pivot, pivot) * a.at(pivot, j);
  }
}

TEST(TensorDiffusion, IsSymmetricBitByBitConservativeAndDefinite) {
  for (const char* sides :
       {"drop", "periodic", "clamp", "value:1,clamp,clamp,drop,periodic,periodic", "clamp,clamp,drop,clamp",
        "flux:1", "robin:1,2,3", "robin:2,0,1", "clamp,robin:1,0.2,1,flux:2,robin:1,0,1",
        "flux:1,robin:0.5,1,0,flux:1,drop,robin:3,1,2,robin:1,0,0"})
    for (const char* text : {"6x5", "5x4x3", "1x4x5"}) {
      Grid grid = parse_grid(text);
      const std::string list = sides;
      if (list.find(',') != list.npos && std::count(list.begin(), list.end(), ',') != 2 * grid.dimension - 1)
        continue;
      const std::string what = list + " " + text;
      // Around an axis of one node several points land on one, and are added in another order.
      const bool sums_points = grid.extents[0] == 1 && list == "periodic";
      const bool has_robin = list.find("robin") != list.npos;
      grid.spacing_m = {0.3, 0.7, 1.1};
      const auto system = assembled(grid, sides, random_tensors(grid));
      reference::Dense a = reference::dense_of(system.hub);
      for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < i; ++j)
          ASSERT_NEAR(a.at(i, j), a.at(j, i), sums_points || has_robin ? 1e-14 * a.at(i, i) : 0)
              << what << " " << i << " " << j;
      const Boundary faces = parse_boundary(sides, grid.dimension);
      const Doubles sums = reference::apply(system.hub, Doubles(grid.rows(), 1.0));
      for (std::int64_t i = 0; i < a.rows; ++i) {
        const Position p = node_position(grid, i);
        bool near_value = false;
        for (int face = 0; face < 2 * grid.dimension; ++face) {
          const std::int64_t at = face < 2 ? p.x : face < 4 ? p.y : p.z;
          near_value |=
              fixes_unknown(faces.faces[face]) && at == (face % 2 == 0 ? 0 : grid.extents[face / 2] - 1);
        }
        if (!near_value) {
          ASSERT_NEAR(sums[i], 0, 1e-13 * a.at(i, i)) << what << " " << i;
        }
      }
      expect_definite(a, fixes_no_value(grid, faces), what);
    }
}

// Of linear functions and a K that is the same everywhere A u = b, with the fluxes of u at faces and what
// robin makes of them and of u half a spacing beyond the last node.
TEST(TensorDiffusion, LinearFunctionsAreExact) {
  constexpr double slope[3] = {0.7, -1.3, 0.4},
                   k_3d[3][3] = {{2, 0.6, -0.5}, {0.6, 1.5, 0.3}, {-0.5, 0.3, 1}};
  for (const char* text : {"6x5", "5x4x3", "2x3x4"})
    for (const char* of_x :
         {"value:0,flux:0", "robin:1,2,0,flux:0", "robin:1,0,0,drop", "robin:0,2,0,robin:3,1,0"})
      for (const char* of_y : {"flux:0,flux:0", "value:0,robin:2,1,0", "robin:1,0,0,flux:0"}) {
        Grid grid = parse_grid(text);
        grid.spacing_m = {0.3, 0.7, 1.1};
        const bool deep = grid.dimension == 3;
        const std::string sides = std::string(of_x) + "," + of_y + (deep ? ",robin:1,1,0,flux:0" : "");
        SCOPED_TRACE(std::string(text) + " " + sides);
        Boundary faces = parse_boundary(sides, grid.dimension);
        const auto u_at = [&](const std::array<double, 3>& nodes) {
          double u = 1;
          for (int a = 0; a < grid.dimension; ++a) u += slope[a] * nodes[a] * grid.spacing_m[a];
          return u;
        };
        for (int face = 0; face < 2 * grid.dimension; ++face) {
          FaceBoundary& here = faces.faces[face];
          if (here.kind == BoundaryKind::drop) here.kind = BoundaryKind::value;
          faces.data[face] = [=, &grid](const Position& p, int) {
            std::array<double, 3> at{static_cast<double>(p.x), static_cast<double>(p.y),
                                     static_cast<double>(p.z)};
            if (here.kind == BoundaryKind::value) return u_at(at);
            const int axis = face / 2, outwards = face % 2 == 0 ? -1 : 1;
            at[axis] -= 0.5 * outwards;
            double q = 0;
            for (int b = 0; b < grid.dimension; ++b) q += outwards * k_3d[axis][b] * slope[b];
            return here.kind == BoundaryKind::flux ? q : here.a * u_at(at) + here.b * q;
          };
        }
        const int numbers = tensor_numbers(grid.dimension);
        Array<double> k(numbers * grid.nodes());
        for (std::int64_t i = 0; i < grid.nodes(); ++i)
          for (int a = 0; a < grid.dimension; ++a)
            for (int b = a; b < grid.dimension; ++b)
              k[i * numbers + tensor_place(grid.dimension, a, b)] = k_3d[a][b];
        PdeInput input{.tensor = std::make_shared<const TensorField>(TensorField{std::move(k)})};
        input.source = std::make_shared<const Array<double>>(Array<double>(grid.nodes(), 0.0));
        const PdeProblem part =
            assemble_whole_pde("diffusion", grid, box_stencil(grid.dimension, 1), faces, input);

        const auto& hub = part.system.hub;
        Doubles u;
        for (std::int64_t node = 0; node < grid.nodes(); ++node) {
          const Position p = node_position(grid, node);
          u.push_back(u_at({static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)}));
        }
        const Doubles y = reference::apply(hub, u);
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], part.system.rhs[i], 2e-13) << i;
      }
}

// Boxes have the bits of the whole; unknowns may have faces of their own.
TEST(TensorDiffusion, PartsAreThoseOfTheWhole) {
  Grid grid = parse_grid("9x8x7");
  grid.dof = 2;
  for (const char* sides : {"periodic,periodic,value:1/clamp,clamp,clamp/drop,drop",
                            "flux:1/robin:1,2,3,drop,value:1/flux:2,clamp,robin:1,0,2,robin:3,1,1/flux:0"}) {
    const Boundary faces = parse_boundary(sides, 3);
    const PdeInput input{.tensor = std::make_shared<const TensorField>(random_tensors(grid))};
    const auto part = [&](const NodeBox& box) {
      return assemble_pde("diffusion", grid, box_stencil(3, 1), faces, input, box).system;
    };
    for (const NodeBox& box : {NodeBox{{6, 2, 0}, {3, 3, 4}}, {{0, 0, 3}, {5, 8, 4}}})
      expect_part_of(part(whole_box(grid.extents)), part(box), grid, box);
  }
}

// With the values made in GPU memory.
TEST(TensorDiffusion, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const char* text : {"17x12", "2x5", "9x8x7", "33x5x4"})
    for (const char* sides :
         {"clamp", "periodic", "drop", "value:1/clamp", "flux:1/robin:1,2,3", "robin:2,0,1"}) {
      Grid grid = parse_grid(text);
      grid.dof = 2;
      SCOPED_TRACE(std::string(text) + " " + sides);
      const Boundary faces = parse_boundary(sides, grid.dimension);
      const Stencil box = box_stencil(grid.dimension, 1);
      const TensorCoefficients c =
          tensor_diffusion(grid, box, faces, whole_box(grid.extents), random_tensors(grid));
      const Array<double> made = copy_to<Host>(
                              values_on_device(grid, box, faces, c.functor(), whole_box(grid.extents))),
                          host = assemble<double>(grid, box, faces, c.functor()).hub.values;
      EXPECT_TRUE(std::equal(made.begin(), made.end(), host.begin(), host.end()));
    }
}

TEST(TensorDiffusion, RefusesWhatIsNoTensor) {
  const Grid grid = parse_grid("2x1");
  const auto reason = [&](Array<double> k) -> std::string {
    try {
      tensor_field(grid, std::move(k), "K");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason({1, 0, 1, 1e-13, 0, 1e-13}), "");
  EXPECT_NE(reason({1, 0, 1}).find("has 3 numbers, the grid 2x1 2 nodes with 3 each"), std::string::npos);
  for (const auto& [xx, xy, yy] : {std::array{1.0, 1.0, 1.0},
                                   {1.0, 2.0, 1.0},
                                   {0.0, 0.0, 0.0},
                                   {-1.0, 0.0, -1.0},
                                   {1.0, std::nan(""), 1.0},
                                   {HUGE_VAL, 0.0, 1.0}}) {
    const std::string said = reason({1, 0, 1, xx, xy, yy});
    EXPECT_NE(said.find("at node (1, 0, 0)"), std::string::npos) << said;
    EXPECT_NE(said.find("positive definite"), std::string::npos) << said;
  }
  const TensorField field = tensor_field(grid, {1, 0, 1, 1, 0, 1}, "K");
  EXPECT_THROW(assembled(grid, "robin:-2,1,0,drop,drop,drop", field), InputError);
  EXPECT_NO_THROW(assembled(grid, "robin:-0.5,1,0,drop,drop,drop", field));
}

}  // namespace
}  // namespace quadrille
