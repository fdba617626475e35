// The factors of the coarsest grid, plane by plane, with their steps on the host.
#include "kernels/multigrid/plane_solve.hpp"

#include "cases.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

using namespace multigrid;

// What invert() asks a GPU for.
struct HostThatInverts : OnHost {
  void invert_block(const double* a, std::int64_t stride, int size, double* inverse) {
    std::vector<double> m(static_cast<std::size_t>(size * size));
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) m[c * size + r] = a[c * stride + r];
    for (int k = 0; k < size; ++k) {
      const double pivot = 1 / m[k * size + k];
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r)
          if (r != k && c != k) m[c * size + r] -= m[k * size + r] * pivot * m[c * size + k];
      for (int i = 0; i < size; ++i)
        if (i != k) {
          m[k * size + i] *= -pivot;
          m[i * size + k] *= pivot;
        }
      m[k * size + k] = pivot;
    }
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) inverse[c * inverse_block + r] = m[c * size + r];
  }
  template <class F>
  void multiply(const F& f) {
    for (std::int64_t j = 0; j < f.columns(); ++j)
      for (std::int64_t i = 0; i < f.rows(); ++i) {
        double sum = 0;
        for (int k = 0; k < f.inner(); ++k) sum += f.left(i, k) * f.right(k, j);
        f.store(i, j, f.before(i, j), sum);
      }
  }
};

struct Made {
  Vector x;
  PlaneOrder order;
};
// With the rows that are all of the operator, where those are few.
Made solved(const Hub& a, const Vector& b, int of_block, const StoredNodes& few = {}, bool singular = false) {
  HostThatInverts host;
  PlaneFactors<Host> factors;
  Hub stored;
  static_cast<BlockStructure&>(stored) = a;
  stored.values =
      few.all ? copy_to<Host>(a.values) : Array<double>(a.diagonals() * a.dof * a.dof * few.nodes());
  if (!few.all)
    host.for_each(stored.values.size(),
                  TakeStored{couplings_of(a), few, a.values.data(), stored.values.data()});
  const Couplings s = couplings_of(stored, nullptr, few);
  make_plane_factors(host, s, PlaneOrder(s, of_block), stored.values.data(), singular, factors);
  Vector x(b.size(), std::nan(""));
  solve_planes(
      factors, b.data(), x.data(),
      [](const PlaneSolve<double>& f) {
        const int size = f.order.size;
        Vector kept;  // [block][row]
        for (int block = 0; block < f.order.blocks; ++block)
          for (int i = 0; i < size; ++i) kept.push_back(f.first(block, i));
        const auto read = [](const double* from, const int(&places)[9], double(&numbers)[9]) {
          for (int k = 0; k < 9; ++k) numbers[k] = places[k] >= 0 ? from[places[k]] : 0;
        };
        for (int number = 0; number < f.steps(); ++number) {
          const PlaneStep step = f.step(number);
          double* const of_block = kept.data() + step.block * size;
          Vector right;
          for (int i = 0; i < size; ++i)
            right.push_back(f.right(step, of_block[i], f.values(step) + i, f.places(step) + i, size, read));
          for (int i = 0; i < size; ++i) {
            double sum = 0;
            for (int j = 0; j < size; ++j) sum += f.inverse(step, i)[j] * right[j];
            of_block[i] =
                f.take(step, i, of_block[i], sum, [](double* place, double made) { *place = made; });
          }
        }
        for (int block = 0; block < f.order.blocks; ++block)
          for (int i = 0; i < size; ++i) f.finish(block, i, kept[block * size + i]);
      },
      [&](const double* values, std::int64_t count, std::int64_t nodes, double* means) {
        for (int r = 0; r < a.dof; ++r) {
          means[r] = 0;
          for (std::int64_t i = r; i < count; i += a.dof) means[r] += values[i] / static_cast<double>(nodes);
        }
      },
      [](std::int64_t rows, const auto& f) {
        for (std::int64_t i = 0; i < rows; ++i) f(i);
      });
  return {x, factors.order};
}

TEST(PlaneFactors, SolveWhatTheOperatorMakes) {
  // With blocks of one plane (two of a folded axis), of three, and of all where those are few.
  const auto expect_solved = [](const char* name, const Hub& a, int blocks, const StoredNodes& few = {}) {
    const Vector x = noise(a.rows(), 1), b = Product(a)(x);
    const PlaneOrder one(couplings_of(a), 1);
    EXPECT_EQ(one.blocks, blocks) << name;
    for (const int of_block : {1, 3 * one.area, a.rows() < 500 ? 1 << 20 : 1}) {
      const Made made = solved(a, b, of_block, few);
      EXPECT_LE(distance(made.x, x), 1e-8) << name << ", blocks " << made.order.blocks;
    }
  };
  expect_solved("jumps", jumping(grid_of({7, 6, 9}), "value:0", 3), 9);
  expect_solved("planes along x",
                jumping(grid_of({9, 6, 5}), "value:0,value:0,periodic,periodic,clamp,clamp", 4), 9);
  expect_solved("planes along y",
                jumping(grid_of({4, 11, 5}), "periodic,periodic,value:0,value:0,periodic,periodic", 5), 11);
  expect_solved("folded planes",
                jumping(grid_of({4, 5, 14}), "value:0,value:0,periodic,periodic,periodic,periodic", 5), 7);
  expect_solved("an odd number of folded planes",
                jumping(grid_of({4, 3, 15}), "value:0,value:0,clamp,clamp,periodic,periodic", 6), 4);
  expect_solved("2D", jumping(grid_of({40, 37, 1}), "value:0", 6), 40);
  expect_solved("3 unknowns, a box", elastic(grid_of({5, 6, 7}, {1, 1, 1}, 3), "value:0"), 7);
  const Hub constant = poisson(grid_of({9, 10, 11}), "value:0");
  const StoredNodes few = few_nodes({9, 10, 11}, {false, false, false}, LineWords::none);
  ASSERT_FALSE(few.all);
  expect_solved("few rows", constant, 11, few);
  if (sanitized) return;
  expect_solved("planes of several blocks", jumping(grid_of({14, 12, 15}), "value:0", 7), 15);
  expect_solved("not symmetric", dominant_blocks(grid_of({5, 4, 6}, {1, 1, 1}, 2), "box", "clamp", 1.5), 6);
  expect_solved("not symmetric, folded",
                dominant_blocks(grid_of({4, 3, 12}, {1, 1, 1}, 2), "box", "periodic", 1.5), 6);
}

// The constants of a singular operator are left out of both sides.
TEST(PlaneFactors, LeaveConstantsOut) {
  const auto expect_solved = [](const char* name, const Hub& a) {
    const auto without_means = [&](Vector x) {
      for (int r = 0; r < a.dof; ++r) {
        double sum = 0;
        for (std::int64_t i = r; i < a.rows(); i += a.dof) sum += x[i];
        for (std::int64_t i = r; i < a.rows(); i += a.dof)
          x[i] -= sum * a.dof / static_cast<double>(a.rows());
      }
      return x;
    };
    const Vector x = without_means(noise(a.rows(), 1));
    Vector b = Product(a)(x);
    for (std::int64_t i = 0; i < a.rows(); ++i) b[i] += 3 + static_cast<double>(i % a.dof);
    for (const int of_block : {1, 1 << 20})
      EXPECT_LE(distance(solved(a, b, of_block, {}, true).x, x), 1e-7) << name << " " << of_block;
  };
  expect_solved("jumps", jumping(grid_of({5, 6, 9}), "clamp", 3));
  if (sanitized) return;
  expect_solved("all axes wrap", jumping(grid_of({4, 5, 12}), "periodic", 4));
  expect_solved("2 unknowns", jumping(grid_of({5, 6, 9}, {1, 1, 1}, 2), "clamp", 5));
}

// Of more rows than are eliminated at a time, and of couplings that reach far, but not to all rows.
TEST(DenseInverse, OfSeveralBlocksIsTheInverse) {
  HostThatInverts host;
  const auto expect_inverse = [&](const char* name, const Hub& a) {
    const Couplings s = couplings_of(a);
    ASSERT_GT(s.rows, 2 * inverse_block) << name;
    DenseInverse<Host> inverse;
    auto work = work_of_inverse<Host>(s.rows);
    fill_dense(host, s, a.values.data(), false, inverse);
    invert_dense(host, s, false, inverse, work);
    const Vector x = noise(a.rows(), 1), b = Product(a)(x);
    Vector made(x.size());
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t c = 0; c < s.rows; ++c) made[r] += inverse.values[r * s.rows + c] * b[c];
    EXPECT_LE(distance(made, x), 1e-8) << name;
  };
  const Hub banded = jumping(grid_of({7, 6, 9}), "value:0", 3);
  EXPECT_EQ(furthest_row(couplings_of(banded)), 42);
  expect_inverse("a band", banded);
  if (sanitized) return;
  expect_inverse("around an axis",
                 jumping(grid_of({7, 6, 9}), "periodic,periodic,value:0,value:0,clamp,clamp", 4));
  expect_inverse("not symmetric, 2 unknowns",
                 dominant_blocks(grid_of({6, 5, 11}, {1, 1, 1}, 2), "box", "clamp", 1.5));
  expect_inverse("all rows",
                 jumping(grid_of({8, 7, 5}), "value:0,value:0,value:0,value:0,periodic,periodic", 5));
}

TEST(PlaneFactors, AreAcrossTheAxisOfLeastWork) {
  const PlaneOrder order({8, 9, 10}, {false, false, true}, 2, 1);
  EXPECT_EQ(order.axis, 1);
  EXPECT_EQ(order.blocks, 9);
  EXPECT_EQ(order.size, 160);
  const PlaneOrder folded({8, 9, 20}, {false, false, true}, 1, 1);
  EXPECT_EQ(folded.axis, 2);
  EXPECT_EQ(folded.blocks, 10);
  EXPECT_EQ(folded.size, 144);
  const PlaneOrder together({16, 16, 16}, {false, false, false}, 1);
  EXPECT_EQ(together.blocks, 4);
  EXPECT_EQ(together.size, 1024);
  // Blocks of two planes would leave a single one of 33, blocks of four, too.
  const PlaneOrder odd({31, 33, 30}, {true, true, true}, 1);
  EXPECT_EQ(odd.axis, 2);
  EXPECT_EQ(odd.blocks, 15);
  EXPECT_EQ(odd.size, 2 * 31 * 33);
  for (int nodes = 1; nodes < 9; ++nodes)
    for (int node = 0; node < nodes; ++node) {
      EXPECT_EQ(node_at_folded(folded_place(node, nodes), nodes), node);
      EXPECT_LE(std::abs(folded_place(node, nodes) - folded_place((node + 1) % nodes, nodes)), 2);
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
