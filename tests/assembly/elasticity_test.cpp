#include "assembly/pde/elasticity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pdes.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/assembly/dense_reference.hpp"
#include "tests/assembly/part_of_whole.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {
namespace {

constexpr double lambda = 1.7, mu = 0.6;

Grid body(const std::string& text) {
  Grid grid = parse_grid(text);
  grid.dof = grid.dimension;
  grid.spacing_m = {0.5, 0.25, 2};
  return grid;
}

// u_r = sum_ab q[r][a][b] x_a x_b: central differences are exact, so interior rows give
// -(2 mu tr q[r] + 2 (lambda + mu) sum_c q[c][r][c]).
void check_quadratics(const Grid& grid) {
  const int dimension = grid.dimension;
  const auto q = [](int r, int a, int b) {
    return 1.0 + r + 2 * (a + b) + 3 * a * b + 5 * r * a * b + r * (a == b);
  };
  const Stencil box = box_stencil(dimension, 1);
  const auto result = assemble<double>(grid, box, {}, elasticity(grid, box, lambda, mu));
  std::vector<double> u(grid.rows(), 0.0);
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const std::array<double, 3> x{p.x * grid.spacing_m[0], p.y * grid.spacing_m[1], p.z * grid.spacing_m[2]};
    for (int r = 0; r < dimension; ++r)
      for (int a = 0; a < dimension; ++a)
        for (int b = 0; b < dimension; ++b) u[node * dimension + r] += q(r, a, b) * x[a] * x[b];
  }
  const std::vector<double> y = reference::apply(result.hub, u);
  int checked = 0;
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
    bool interior = true;
    for (int axis = 0; axis < dimension; ++axis)
      interior = interior && at[axis] > 0 && at[axis] < grid.extents[axis] - 1;
    if (!interior) continue;
    ++checked;
    for (int r = 0; r < dimension; ++r) {
      double expected = 0;
      for (int c = 0; c < dimension; ++c) expected -= 2 * mu * q(r, c, c) + 2 * (lambda + mu) * q(c, r, c);
      EXPECT_NEAR(y[node * dimension + r], expected, 1e-9) << "node " << node << " r " << r;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(Elasticity, QuadraticsAreExact) {
  check_quadratics(body("5x4"));
  check_quadratics(body("4x5x4"));
}

// u_r = sin(k . x + r) on a periodic box, k = 2 pi/length: every second derivative is -k_a k_b sin.
double wave_error(int dimension, std::int64_t n) {
  Grid grid;
  grid.dimension = grid.dof = dimension;
  const std::array<double, 3> length{1, 1.5, 0.8};
  std::array<double, 3> k{};
  for (int axis = 0; axis < dimension; ++axis) {
    grid.extents[axis] = n;
    grid.spacing_m[axis] = length[axis] / static_cast<double>(n);
    k[axis] = 2 * std::numbers::pi / length[axis];
  }
  const Stencil box = box_stencil(dimension, 1);
  const auto result =
      assemble<double>(grid, box, parse_boundary("periodic", dimension), elasticity(grid, box, lambda, mu));
  std::vector<double> u(grid.rows()), exact(grid.rows());
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const double phase =
        k[0] * p.x * grid.spacing_m[0] + k[1] * p.y * grid.spacing_m[1] + k[2] * p.z * grid.spacing_m[2];
    for (int r = 0; r < dimension; ++r) {
      u[node * dimension + r] = std::sin(phase + r);
      double& f = exact[node * dimension + r];
      for (int c = 0; c < dimension; ++c)
        f += mu * k[c] * k[c] * std::sin(phase + r) + (lambda + mu) * k[r] * k[c] * std::sin(phase + c);
    }
  }
  const std::vector<double> y = reference::apply(result.hub, u);
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i) error = std::max(error, std::abs(y[i] - exact[i]));
  return error;
}

TEST(Elasticity, HasOrderTwo) {
  EXPECT_NEAR(std::log2(wave_error(2, 16) / wave_error(2, 32)), 2, 0.1);
  EXPECT_NEAR(std::log2(wave_error(3, 12) / wave_error(3, 24)), 2, 0.1);
}

TEST(Elasticity, BlocksByHand) {
  Grid grid = parse_grid("3x3");
  grid.dof = 2;
  grid.spacing_m = {1, 0.5, 1};                                    // 1/h^2: 1 and 4
  const Elasticity e = elasticity(grid, box_stencil(2, 1), 2, 1);  // lambda + mu = 3
  const auto block = [&](int p) {
    return std::array<double, 4>{e.weight[p][0], e.weight[p][1], e.weight[p][3], e.weight[p][4]};
  };
  EXPECT_EQ(block(4), (std::array<double, 4>{10 + 6, 0, 0, 10 + 24}));  // centre
  EXPECT_EQ(block(5), (std::array<double, 4>{-1 - 3, 0, 0, -1}));       // +x
  EXPECT_EQ(block(1), (std::array<double, 4>{-4, 0, 0, -4 - 12}));      // -y
  EXPECT_EQ(block(8), (std::array<double, 4>{0, -1.5, -1.5, 0}));       // +x +y: 3/(4*0.5)
  EXPECT_EQ(block(6), (std::array<double, 4>{0, 1.5, 1.5, 0}));         // -x +y
}

TEST(Elasticity, IsSymmetric) {
  const Grid grid = body("3x4x3");
  const Stencil box = box_stencil(3, 1);
  for (const char* boundary : {"drop", "periodic"}) {
    reference::Dense a = reference::dense_of(
        assemble<double>(grid, box, parse_boundary(boundary, 3), elasticity(grid, box, lambda, mu)).hub);
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(a.at(i, j), a.at(j, i));
  }
}

TEST(Elasticity, RefusesWhatItCannotDo) {
  Grid grid = parse_grid("4x4");
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1)), InputError);
  grid.dof = 2;
  EXPECT_NO_THROW(elasticity(grid, box_stencil(2, 1)));
  EXPECT_THROW(elasticity(grid, star_stencil(2, 1)), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 2)), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1), 1, 0), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1), -2, 1), InputError);
}

// Of moduli that differ by up to a hundred times from node to node.
PdeInput of_moduli(const Grid& grid) {
  PdeInput input;
  for (const char* name : {"lambda", "mu"}) {
    Array<double> values(grid.nodes());
    for (std::int64_t i = 0; i < values.size(); ++i)
      values[i] = std::pow(10, signed_unit(counter_hash(name[0], static_cast<std::uint64_t>(i))));
    input.fields.emplace_back(name, std::make_shared<const Array<double>>(std::move(values)));
  }
  return input;
}

// Of a body that is held, goes around, or ends by itself at some faces; last, that has planes of symmetry.
constexpr const char* some_sides[] = {"drop",
                                      "periodic",
                                      "drop,drop,flux:0,flux:0",
                                      "flux:0,drop,flux:1,flux:2",
                                      "periodic,periodic,flux:1,value:0",
                                      "symmetry"};
Boundary sides_of(const std::string& in_2d, const Grid& grid) {
  if (in_2d == "symmetry")
    return parse_boundary(grid.dimension == 2
                              ? "robin:1,0,0/flux:1,flux:0,flux:2/robin:1,0,0,robin:1,0,2/flux:0"
                              : "robin:1,0,0/flux:1/flux:0,flux:0,flux:0/robin:2,0,1/flux:2,flux:1,"
                                "flux:0/flux:0/robin:1,0,0,robin:1,0,2/robin:1,0,0/flux:0",
                          grid.dimension);
  const bool more = grid.dimension == 3 && in_2d.find(',') != std::string::npos;
  return parse_boundary(in_2d + (more ? ",flux:3,flux:0" : ""), grid.dimension);
}

// Bit by bit, and definite: every pivot of Gauss's elimination is positive, of a body that is held nowhere
// but those of its translations.
TEST(ElasticityOfFields, IsSymmetricAndDefinite) {
  for (const char* text : {"7x6", "5x4x3"})
    for (const char* sides : some_sides) {
      Grid grid = parse_grid(text);
      grid.dof = grid.dimension;
      grid.spacing_m = {0.3, 0.7, 1.1};
      SCOPED_TRACE(std::string(text) + " " + sides);
      const PdeProblem part = assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1),
                                                 sides_of(sides, grid), of_moduli(grid));
      EXPECT_EQ(part.singular, std::string(sides) == "periodic");

      const auto& hub = part.system.hub;
      reference::Dense a = reference::dense_of(hub);
      double largest = 0;
      for (std::int64_t i = 0; i < a.rows; ++i) {
        largest = std::max(largest, a.at(i, i));
        for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(a.at(i, j), a.at(j, i)) << i << " " << j;
      }
      std::int64_t none = 0;
      for (std::int64_t pivot = 0; pivot < a.rows; ++pivot) {
        if (part.singular && std::abs(a.at(pivot, pivot)) < 1e-9 * largest) {
          ++none;
          continue;
        }
        ASSERT_GT(a.at(pivot, pivot), 0) << pivot;
        for (std::int64_t i = pivot + 1; i < a.rows; ++i)
          for (std::int64_t j = a.rows - 1; j > pivot; --j)
            a.at(i, j) -= a.at(i, pivot) / a.at(pivot, pivot) * a.at(pivot, j);
      }
      EXPECT_LE(none, part.singular ? 4 * grid.dimension : 0);  // central differences see no alternation
    }
}

TEST(ElasticityOfFields, OfOneNumberIsThatOfNumbers) {
  Grid grid = parse_grid("5x4x6");
  grid.dof = 3;
  grid.spacing_m = {0.3, 0.7, 1.1};
  const auto values = [&](const PdeInput& input) {
    return assemble_pde("elasticity", grid, box_stencil(3, 1), parse_boundary("value:1", 3), input,
                        whole_box(grid.extents))
        .system;
  };
  PdeInput numbers, fields;
  numbers.parameters = {{"lambda", 0.7}, {"mu", 2.5}};
  for (const auto& [name, value] : numbers.parameters)
    fields.fields.emplace_back(name,
                               std::make_shared<const Array<double>>(Array<double>(grid.nodes(), value)));
  const AssembledBox<double> a = values(numbers), b = values(fields);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::int64_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(a.values[i], b.values[i], 1e-12) << i;
  for (std::size_t i = 0; i < a.rhs.size(); ++i) ASSERT_NEAR(a.rhs[i], b.rhs[i], 1e-12) << i;
}

TEST(ElasticityOfFields, PartsAreThoseOfTheWhole) {
  Grid grid = parse_grid("9x8x7");
  grid.dof = 3;
  const PdeInput input = of_moduli(grid);
  for (const char* sides : some_sides) {
    SCOPED_TRACE(sides);
    const auto part = [&](const NodeBox& box) {
      return assemble_pde("elasticity", grid, box_stencil(3, 1), sides_of(sides, grid), input, box).system;
    };
    const NodeBox box{{6, 2, 0}, {3, 3, 4}};
    expect_part_of(part(whole_box(grid.extents)), part(box), grid, box);
  }
}

// Where the stress is the same everywhere, no node moves: of u = A x with the tractions and the held values
// of that, A u = b to rounding, whatever faces end the body and whatever corners are between them.
TEST(ElasticityOfFields, ConstantStressesAreExact) {
  constexpr double bends[3][3] = {{0.3, -0.2, 0.7}, {0.5, 0.1, -0.4}, {-0.6, 0.9, 0.2}};
  for (const char* text : {"6x5", "2x4", "5x4x3"})
    for (const int held : {0, 1, 2, 3}) {
      Grid grid = body(text);
      if (held >= 2 * grid.dimension) continue;
      SCOPED_TRACE(std::string(text) + " held at " + std::to_string(held));
      // At places in m from node 0; half a spacing beyond the last one for tractions.
      const auto u_at = [&](const Position& p, int r) {
        const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
        double u = 0;
        for (int c = 0; c < grid.dimension; ++c)
          u += bends[r][c] * static_cast<double>(at[c]) * grid.spacing_m[c];
        return u;
      };
      Boundary faces = parse_boundary("flux:0", grid.dimension);
      for (int face = 0; face < 2 * grid.dimension; ++face) {
        if (face == held) faces.faces[face] = {BoundaryKind::value};
        faces.data[face] = [&, face](const Position& beyond, int r) {
          if (face == held) return u_at(beyond, r);
          const int n = face / 2;
          double t = mu * (bends[r][n] + bends[n][r]);
          for (int c = 0; c < grid.dimension && r == n; ++c) t += lambda * bends[c][c];
          return face % 2 == 0 ? -t : t;
        };
      }
      PdeInput input;
      input.parameters = {{"lambda", lambda}, {"mu", mu}};
      input.source = std::make_shared<const Array<double>>(Array<double>(grid.nodes(), 0.0));
      const PdeProblem part =
          assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1), faces, input);

      const auto& hub = part.system.hub;
      std::vector<double> u;
      for (std::int64_t node = 0; node < grid.nodes(); ++node)
        for (int r = 0; r < grid.dimension; ++r) u.push_back(u_at(node_position(grid, node), r));
      const std::vector<double> y = reference::apply(hub, u);
      for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(y[i], part.system.rhs[i], 1e-12) << i;
    }
}

// A half of a body does as the whole one: what it has at the plane of symmetry are its rows with the image.
TEST(ElasticityOfFields, PlanesOfSymmetryHaveTheImage) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (const char* text : {"5x4", "1x3", "4x5x3"})
    for (const bool ends : {false, true})
      for (const double mirrored : {1.0, -1.0}) {  // u_n changes its sign, or all others do
        SCOPED_TRACE(std::string(text) + (ends ? " ends" : "") + (mirrored > 0 ? "" : " and changes sign"));
        const Grid half = body(text);
        Grid whole = half;
        whole.extents[0] *= 2;
        const std::int64_t n = half.extents[0];
        const auto image = [&](std::int64_t node) {  // of the half, of a node of the whole
          Position p = node_position(whole, node);
          p.x = p.x < n ? n - 1 - p.x : p.x - n;
          return node_index(half, p);
        };
        PdeInput of_half = of_moduli(half), of_whole;
        for (const auto& [name, values] : of_half.fields) {
          Array<double> twice(whole.nodes());
          for (std::int64_t node = 0; node < whole.nodes(); ++node) twice[node] = (*values)[image(node)];
          of_whole.fields.emplace_back(name, std::make_shared<const Array<double>>(std::move(twice)));
        }
        std::string plane;
        for (int r = 0; r < half.dimension; ++r)
          plane += (r > 0 ? "/" : "") + std::string((r == 0) == (mirrored > 0) ? "robin:1,0,0" : "flux:0");
        const std::string others = std::string(",drop,drop") + (ends ? ",flux:0" : ",drop") +
                                   (half.dimension == 3 ? ",drop,drop" : "");
        const auto rows = [&](const Grid& grid, const PdeInput& input, const std::string& sides) {
          return assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1),
                                    parse_boundary(sides, grid.dimension), input)
              .system.hub;
        };
        std::vector<double> u(static_cast<std::size_t>(half.rows())), both;
        for (double& value : u) value = draw(random);
        for (std::int64_t node = 0; node < whole.nodes(); ++node)
          for (int r = 0; r < half.dimension; ++r)
            both.push_back((node_position(whole, node).x >= n ? 1
                            : r == 0                          ? -mirrored
                                                              : mirrored) *
                           u[image(node) * half.dimension + r]);
        const auto y = reference::apply(rows(half, of_half, plane + others), u),
                   of_both = reference::apply(rows(whole, of_whole, "drop" + others), both);
        for (std::int64_t node = 0; node < whole.nodes(); ++node)
          for (int r = 0; r < half.dimension && node_position(whole, node).x >= n; ++r)
            ASSERT_NEAR(of_both[node * half.dimension + r], y[image(node) * half.dimension + r], 1e-12)
                << node << " " << r;
      }
}

// The same with planes of symmetry, of a body that is longer along each axis.
TEST(ElasticityOfFields, ConstantStressesAreExactAtPlanesOfSymmetry) {
  constexpr double bends[3] = {0.3, -0.2, 0.7};
  for (const char* text : {"6x5", "2x4", "5x4x3"}) {
    const Grid grid = body(text);
    for (int planes = 0; planes < 1 << (2 * grid.dimension); ++planes) {
      Boundary faces;
      faces.of_unknown.assign(static_cast<std::size_t>(grid.dimension), {});
      bool held = true;
      for (int axis = 0; axis < grid.dimension; ++axis) {
        const double n = static_cast<double>(grid.extents[axis]), h = grid.spacing_m[axis];
        double t = 2 * mu * bends[axis];
        for (int c = 0; c < grid.dimension; ++c) t += lambda * bends[c];
        held = held && (planes >> (2 * axis) & 3) != 0;
        for (const int face : {2 * axis, 2 * axis + 1})
          for (int r = 0; r < grid.dimension; ++r) {
            FaceBoundary& here = faces.of_unknown[static_cast<std::size_t>(r)][face];
            here = {.kind = BoundaryKind::flux, .value = r != axis ? 0 : face % 2 == 0 ? -t : t};
            if (r == axis && (planes >> face & 1) != 0)
              here = {.kind = BoundaryKind::robin,
                      .value = bends[axis] * h * (face % 2 == 0 ? -0.5 : n - 0.5),
                      .a = 1,
                      .b = 0};
          }
      }
      if (!held) continue;
      SCOPED_TRACE(std::string(text) + " planes " + std::to_string(planes));
      PdeInput input;
      input.parameters = {{"lambda", lambda}, {"mu", mu}};
      input.source = std::make_shared<const Array<double>>(Array<double>(grid.nodes(), 0.0));
      const PdeProblem part =
          assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1), faces, input);

      const auto& hub = part.system.hub;
      std::vector<double> u;
      for (std::int64_t node = 0; node < grid.nodes(); ++node) {
        const Position p = node_position(grid, node);
        const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
        for (int r = 0; r < grid.dimension; ++r)
          u.push_back(bends[r] * static_cast<double>(at[r]) * grid.spacing_m[r]);
      }
      const std::vector<double> y = reference::apply(hub, u);
      for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(y[i], part.system.rhs[i], 1e-12) << i;
    }
  }
}

TEST(ElasticityOfFields, RefusesBodiesThatMayMove) {
  const auto refused = [](const char* text, const char* sides) {
    const Grid grid = body(text);
    try {
      assemble_pde("elasticity", grid, box_stencil(grid.dimension, 1), parse_boundary(sides, grid.dimension),
                   {}, whole_box(grid.extents));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(refused("4x5", "flux:0").find("no face holds the body"), std::string::npos);
  EXPECT_NE(refused("4x5", "periodic,periodic,flux:0,flux:0").find("no face holds"), std::string::npos);
  EXPECT_NE(refused("4x5", "value:0,flux:0/value:0,flux:0,flux:0").find("or the latter"), std::string::npos);
  const std::string x = "robin:1,0,0/flux:0", y = "flux:0/robin:1,0,0";  // hold u_x, or u_y
  const auto sides = [&](const std::string& of_x, const std::string& of_y) {
    return refused("4x5", (of_x + ",flux:0," + of_y + ",flux:0").c_str());
  };
  EXPECT_NE(sides(x, "flux:0").find("the displacement along y"), std::string::npos);
  EXPECT_NE(sides(y, x).find("turning in the plane of x and y"), std::string::npos);
  EXPECT_EQ(sides(x, y), "nothing");
  EXPECT_NE(sides("robin:1,0,0", "flux:0").find("value holds all of them"), std::string::npos);
  EXPECT_EQ(sides("drop", "flux:0"), "nothing");
  EXPECT_NE(sides("robin:1,0,0/robin:1,2,0", y).find("robin:1,0,C"), std::string::npos);
  EXPECT_NE(refused("4x5x3", "flux:0/robin:1,0,0/flux:0,drop,drop,drop,drop,drop").find("or all others"),
            std::string::npos);
  EXPECT_EQ(refused("4x5", "value:0,flux:0,flux:0,flux:0"), "nothing");
}

TEST(ElasticityOfFields, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const char* text : {"17x12", "2x5", "9x8x7", "33x5x4"})
    for (const char* sides : some_sides) {
      Grid grid = parse_grid(text);
      grid.dof = grid.dimension;
      SCOPED_TRACE(std::string(text) + " " + sides);
      PdeInput input = of_moduli(grid);
      const auto made = [&](bool on_device) {
        input.on_device = on_device;
        return assemble_pde("elasticity", grid, box_stencil(grid.dimension, 1), sides_of(sides, grid), input,
                            whole_box(grid.extents))
            .system;
      };
      const Array<double> there = copy_to<Host>(made(true).device_values),
                          host = std::move(made(false).values);
      ASSERT_EQ(there.size(), host.size());
      EXPECT_TRUE(std::equal(there.begin(), there.end(), host.begin(), host.end()));
    }
}

}  // namespace
}  // namespace quadrille
