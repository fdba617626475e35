// Linear PDEs by their residuals: what is assembled of them is their Jacobian, and that their derivative.
#include "assembly/linear_residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/tensor_diffusion.hpp"
#include "assembly/residual.hpp"
#include "tests/assembly/dense_reference.hpp"
#include "tests/sanitized.hpp"

namespace quadrille {
namespace {

using Doubles = std::vector<double>;

Doubles drawn(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  Doubles values(static_cast<std::size_t>(size));
  for (double& value : values) value = std::uniform_real_distribution<>(-1, 1)(random);
  return values;
}

double largest(const Doubles& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

struct Problem {
  Grid grid;
  Stencil stencil;
  Boundary boundary;
};

template <class Residual>
Doubles evaluated(const Problem& p, const Residual& residual, const Doubles& u) {
  const NodeBox whole = whole_box(p.grid.extents);
  const FaceValues faces(p.grid, p.boundary, true);
  const Doubles rate(u.size(), 0.0);
  Doubles f(u.size());
  evaluate_residual({p.grid, faces.on_host(), whole, window_around(p.grid, whole), u.data(), rate.data(), 0},
                    residual, f.data());
  return f;
}

// The operator of `coefficients`, for all rows and columns, against differences of the residual around some
// u, and its right side against the residual of zeros.
template <class Residual, class Model>
void expect_its_derivative(const Problem& p, const Residual& residual, const Model& coefficients) {
  const AssembledOperator<double> made = assemble<double>(p.grid, p.stencil, p.boundary, coefficients);
  reference::Dense a = reference::dense_of(made.hub);
  const Doubles u = drawn(p.grid.rows(), 3);
  const double size = largest(a.a), step = 0.5;
  for (std::int64_t column = 0; column < a.rows; ++column) {
    const auto moved = [&](double by) {
      Doubles at = u;
      at[static_cast<std::size_t>(column)] += by;
      return evaluated(p, residual, at);
    };
    const Doubles above = moved(step), below = moved(-step);
    for (std::size_t row = 0; row < above.size(); ++row)
      ASSERT_NEAR(a.at(static_cast<std::int64_t>(row), column), (above[row] - below[row]) / (2 * step),
                  1e-12 * size)
          << row << ", " << column;
  }
  const Doubles at_zero = evaluated(p, residual, Doubles(u.size(), 0.0));
  for (std::size_t row = 0; row < at_zero.size(); ++row)
    ASSERT_NEAR(made.rhs[row] + at_zero[row], 0, 1e-12 * (size + largest(made.rhs))) << row;
}

std::vector<Problem> problems(int dof, const char* stencil, bool values_alone) {
  std::vector<Problem> all;
  for (const int dimension : {2, 3})
    for (const char* sides : {"value:0.5", "periodic", "clamp,flux:0.3,robin:1,2,0.7,drop"}) {
      const std::string text(sides);
      if (values_alone && text[0] == 'c') continue;
      const std::array<std::int64_t, 3> extents{6, text[0] == 'p' ? 2 : 5, dimension == 3 ? 4 : 1};
      all.push_back(
          {{dimension, extents, {0.5, 0.2, 0.3}, dof == 0 ? dimension : dof},
           make_stencil(stencil, dimension, 1),
           parse_boundary(text + (text[0] == 'c' && dimension == 3 ? ",outflow,value:2" : ""), dimension)});
    }
  return all;
}

TEST(LinearResidual, OfTheLaplacianIsItsOperator) {
  for (const char* stencil : {"star", "box"})
    for (const Problem& p : problems(2, stencil, false)) {
      SCOPED_TRACE(std::string(stencil) + " " + to_string(p.boundary, p.grid.dimension));
      const MinusLaplacian residual = minus_laplacian(p.grid, p.stencil);
      expect_its_derivative(p, residual, residual);
      expect_its_derivative(p, residual, laplacian(p.grid, p.stencil));
    }
}

TEST(LinearResidual, OfElasticityIsItsOperator) {
  for (const Problem& p : problems(0, "box", true)) {
    SCOPED_TRACE(to_string(p.boundary, p.grid.dimension));
    expect_its_derivative(p, ElasticForces{2, 0.7}, ElasticForces{2, 0.7});
    expect_its_derivative(p, ElasticForces{2, 0.7}, elasticity(p.grid, p.stencil, 2, 0.7));
  }
}

TEST(LinearResidual, OfDiffusionIsItsOperator) {
  for (const Problem& p : problems(2, "star", false)) {
    SCOPED_TRACE(to_string(p.boundary, p.grid.dimension));
    Array<double> a(p.grid.nodes());
    for (std::int64_t i = 0; i < a.size(); ++i) a[i] = i % 7 == 5 ? 0 : static_cast<double>(1 + i % 5);
    DiffusionCoefficients c =
        diffusion_around(p.grid, p.stencil, p.boundary, whole_box(p.grid.extents), std::move(a), {1, 0.5, 2});
    c.held = Array<double>(p.grid.nodes(), 0.0);
    c.held[2] = 3;
    expect_its_derivative(p, c.functor(), c.functor());
  }
}

TEST(LinearResidual, OfDiffusionByATensorIsItsOperator) {
  for (const Problem& p : problems(sanitized ? 1 : 2, "box", true)) {
    Boundary faces = p.boundary;
    if (!faces.periodic(0)) faces.faces[1] = {BoundaryKind::clamp}, faces.faces[2] = {BoundaryKind::drop};
    const Problem here{p.grid, p.stencil, faces};
    SCOPED_TRACE(to_string(faces, p.grid.dimension));
    const int numbers = tensor_numbers(p.grid.dimension);
    Array<double> k(p.grid.nodes() * numbers);
    for (std::int64_t i = 0; i < p.grid.nodes(); ++i)
      for (int a = 0; a < p.grid.dimension; ++a)
        for (int b = a; b < p.grid.dimension; ++b)
          k[i * numbers + tensor_place(p.grid.dimension, a, b)] =
              a == b ? static_cast<double>(2 + i % 5) : 0.1 * static_cast<double>((i + a + 2 * b) % 7 - 3);
    const TensorField field = tensor_field(p.grid, std::move(k), "K");
    const TensorCoefficients c = tensor_diffusion(p.grid, p.stencil, faces, whole_box(p.grid.extents), field);
    expect_its_derivative(here, c.functor(), c.functor());
  }
}

// -div(k grad u) + v.grad u + (1 + x) u = 1 + x, with what couples at the node alone.
struct Mine {
  double k = 0.3;
  static constexpr bool linear = true;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  constexpr double conductivity(const StencilNode&, int, int) const { return k; }
  constexpr auto operator()(const auto& u, int r) const {
    return u.slope(0, r) - k * u.laplacian(r) + (1 + u.x(0)) * u(1 - r) - (1 + u.x(0));
  }
};

TEST(LinearResidual, OfAUserHasItsSourceAndItsParts) {
  for (const Problem& p : problems(2, "star", false)) {
    SCOPED_TRACE(to_string(p.boundary, p.grid.dimension));
    const NodeBox whole = whole_box(p.grid.extents);
    const auto coefficients = coefficients_of(Mine{}, p.grid, p.boundary, whole);
    for (int node = 0; node < 6; ++node)
      EXPECT_EQ(coefficients.source({node, {node, 0, 0}}, 1), 1 + 0.5 * node);
    const AssembledBox<double> all = assemble_box<double>(p.grid, p.stencil, p.boundary, Mine{}, whole);
    EXPECT_TRUE(all.structure.fill.said());
    NodeBox box = whole;
    box.first[0] = 1, box.size[0] = 3;
    box.first[1] = 1, box.size[1] = p.grid.extents[1] - 1;
    const AssembledBox<double> part = assemble_box<double>(p.grid, p.stencil, p.boundary, Mine{}, box);
    for (std::int64_t column = 0; column < all.structure.diagonals() * 2; ++column)
      for (std::int64_t i = 0; i < box.nodes(); ++i)
        for (int r = 0; r < 2; ++r) {
          const NodePosition at = box.first_of_line(i / box.size[0]);
          const std::int64_t node = node_index(p.grid, {at[0] + i % box.size[0], at[1], at[2]});
          ASSERT_EQ(part.values[column * box.nodes() * 2 + i * 2 + r],
                    all.values[column * p.grid.rows() + node * 2 + r]);
          ASSERT_EQ(part.rhs[i * 2 + r], all.rhs[node * 2 + r]);
        }
  }
}

// A star of radius 3 has nodes that GridResidual has not.
TEST(LinearResidual, ReachesAsFarAsItsStencil) {
  const Problem p{{2, {9, 8, 1}, {0.5, 0.25, 1}, 1}, star_stencil(2, 3), parse_boundary("value:2", 2)};
  const auto of = [&](const auto& model) { return assemble<double>(p.grid, p.stencil, p.boundary, model); };
  const auto expected = of(laplacian(p.grid, p.stencil)), found = of(MinusLaplacian{.radius = 3});
  EXPECT_EQ(reference::dense_of(found.hub).a, reference::dense_of(expected.hub).a);
  EXPECT_EQ(found.rhs, expected.rhs);
}

template <int kind>
struct Lying {
  static constexpr bool linear = true;
  constexpr auto operator()(const auto& u, int r) const {
    if constexpr (kind == 0) return u(r) * u(r) - u.laplacian(r);
    if constexpr (kind == 1) return u.time_s() * u(r) - u.laplacian(r);
    if constexpr (kind == 2) return u.mixed(0, 1, r) - u.laplacian(r);
  }
};

TEST(LinearResidual, IsRefusedWhereItIsNotWhatItSays) {
  const Grid grid{2, {5, 4, 1}, {1, 1, 1}, 1};
  const auto of = [&](const auto& model) { assemble<double>(grid, star_stencil(2, 1), {}, model); };
  EXPECT_NO_THROW(of(MinusLaplacian{}));
  EXPECT_THROW(of(Lying<0>{}), InputError);
  EXPECT_THROW(of(Lying<1>{}), InputError);
  EXPECT_THROW(of(Lying<2>{}), InputError);
  EXPECT_NO_THROW(assemble<double>(grid, box_stencil(2, 1), {}, Lying<2>{}));
}

}  // namespace
}  // namespace quadrille
