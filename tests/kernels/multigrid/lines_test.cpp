// Lines of nodes, solved one by one (line_steps.hpp) and by threads together (line_tiles.hpp), which are
// loops here: each step of a sweep against a dense solve of its lines.
#include <limits>
#include <type_traits>

#include "cases.hpp"
#include "kernels/multigrid/level_rows.hpp"
#include "kernels/multigrid/line_tiles.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

using multigrid::BoxRows;
using multigrid::Couplings;
using multigrid::Level;
using multigrid::LineRight;
using multigrid::Lines;
using multigrid::LineSolve;
using multigrid::LineTiles;
using multigrid::OnHost;

struct WarpInLoops {
  static constexpr int lanes = multigrid::lanes;
  template <class V>
  using Each = std::array<V, lanes>;

  template <class F>
  void each(const F& f) const {
    for (int lane = 0; lane < lanes; ++lane) f(lane);
  }
  template <class V>
  Each<V> before(const Each<V>& v, int step) const {
    Each<V> shifted = v;
    for (int lane = step; lane < lanes; ++lane) shifted[lane] = v[lane - step];
    return shifted;
  }
  template <class V>
  V last(const Each<V>& v) const {
    return v.back();
  }
  void sync() const {}
};

struct TeamInLoops {
  template <class V>
  using Each = std::array<V, LineTiles::threads>;

  template <class F>
  void each(const F& f) const {
    for (int thread = 0; thread < LineTiles::threads; ++thread) f(thread);
  }
  template <class F>
  void each_warp(const F& f) const {
    for (int warp = 0; warp < LineTiles::most_lines; ++warp) f(WarpInLoops{}, warp);
  }
  void sync() const {}
  void wait_for_step_before() const {}
};

// As a GPU has it, with so much shared memory, for so many processors.
struct InTeams : OnHost {
  int most_bytes = 96 << 10, processors = 1;

  template <class T, int Dof, int Count>
  void solve_lines(const LineRight<T, Dof, Count>& right, const LineSolve<T, Dof>& solve) {
    if constexpr (Dof == 0) {
      OnHost::solve_lines(right, solve);
    } else {
      const auto step = multigrid::line_tile_step(right, solve, most_bytes, processors);
      for (std::int64_t team = 0; team < step.tiles.teams; ++team) {
        std::vector<char> shared(step.tiles.bytes, '\377');  // NaN
        step(TeamInLoops{}, static_cast<int>(team), shared.data());
      }
    }
  }
};

// x with A x = b, A [row][column].
Vector dense_solution(std::vector<Vector> a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a[i][k] / a[k][k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// Of the first lines of a colour, that their nodes have the solution of their equations in A, `before`
// elsewhere, and that nothing else has changed.
template <class T>
void expect_solved(const Hub& a, const Lines& lines, const T* g, const Vector& before, const T* x) {
  const Couplings& s = lines.s;
  const int axis = lines.places.axis, first = lines.places.first, count = lines.length();
  const double bound = std::is_same_v<T, float> ? 2e-5 : 1e-11;
  std::vector<bool> within(before.size());
  int solved = 0;
  for (int i = 0; i < lines.colour.size(); ++i) {
    std::array<int, 3> start{};
    if (!lines.colour.find(i, start)) continue;
    const auto node_at = [&](int k) {
      std::array<int, 3> at = start;
      at[axis] = first + k;
      return at;
    };
    for (int k = 0; k < count * s.dof; ++k)
      within[std::int64_t{s.index(node_at(k / s.dof))} * s.dof + k % s.dof] = true;
    if (++solved > (count * s.dof > 100 ? 1 : 2)) continue;  // the others are as those of OnHost
    Vector right(static_cast<std::size_t>(count) * s.dof);
    std::vector<Vector> matrix(right.size(), Vector(right.size()));
    for (int k = 0; k < count * s.dof; ++k) {
      const std::array<int, 3> at = node_at(k / s.dof);
      const std::int64_t row = std::int64_t{s.natural(at)} * s.dof + k % s.dof;
      for (std::int64_t d = 0; d < a.diagonals(); ++d) {
        const NodeOffset o = a.offsets[d];
        const std::int64_t step = axis == 0   ? o.x
                                  : axis == 1 ? o.y
                                              : o.z,
                           to = a.neighbour(at[0], at[1], at[2], o);
        if (to < 0) continue;
        const bool along = std::abs(o.x) + std::abs(o.y) + std::abs(o.z) == std::abs(step);
        const std::int64_t beside = k / s.dof + step;
        const std::array<int, 3> there{static_cast<int>(to % s.n[0]), static_cast<int>(to / s.n[0] % s.n[1]),
                                       static_cast<int>(to / s.n[0] / s.n[1])};
        for (int c = 0; c < s.dof; ++c) {
          const double value = entry(const_cast<Hub&>(a), d, c, row);
          if (step == 0 && along) right[k] += value * g[std::int64_t{s.index(at)} * s.dof + c];
          if (along && beside >= 0 && beside < count)
            matrix[k][beside * s.dof + c] += value;
          else
            right[k] -= value * before[std::int64_t{s.index(there)} * s.dof + c];
        }
      }
    }
    const Vector expected = dense_solution(matrix, right);
    Vector found(expected.size());
    for (int k = 0; k < count * s.dof; ++k)
      found[k] = x[std::int64_t{s.index(node_at(k / s.dof))} * s.dof + k % s.dof];
    ASSERT_LE(distance(found, expected), bound) << "along " << axis << ", line " << i;
  }
  for (std::size_t row = 0; row < before.size(); ++row) {
    const T unchanged = within[row] ? x[row] : static_cast<T>(before[row]);
    ASSERT_EQ(x[row], unchanged) << row;
  }
}

// Looks at every step.
template <class Machine>
struct Checked : Machine {
  const Hub* a = nullptr;
  int steps = 0;

  template <class T, int Dof, int Count>
  void solve_lines(const LineRight<T, Dof, Count>& right, const LineSolve<T, Dof>& solve) {
    const Vector before(right.x, right.x + right.lines.s.rows);
    Machine::solve_lines(right, solve);
    expect_solved(*a, right.lines, right.g, before, solve.x);
    ++steps;
  }
};

// What one sweep makes of noise. `few`: where few rows are all of them, these alone are stored; `part`: of a
// rank that has all nodes but those at faces.
template <class T, class Machine>
std::vector<T> sweep_of(Checked<Machine>& machine, const Hub& a, LineWords words, bool few = false,
                        bool part = false) {
  machine.a = &a;
  const Couplings all = multigrid::couplings_of(a);
  Hub stored_values;
  StoredNodes stored;
  if (few) stored = few_nodes(all.n, all.wraps, words);
  const double* values = a.values.data();
  if (!stored.all) {
    stored_values.values = Array<double>(a.diagonals() * a.dof * a.dof * stored.nodes());
    machine.for_each(stored_values.values.size(),
                     multigrid::TakeStored{all, stored, values, stored_values.values.data()});
    values = stored_values.values.data();
  }
  Level<T, Checked<Machine>> level;
  Couplings& s = level.couplings = multigrid::couplings_of(a, nullptr, stored);
  BoxRows box = multigrid::box_rows(level);
  s.shared = part;
  for (int axis = 0; axis < 3; ++axis) {
    const int margin = part && s.n[axis] > 2 ? 1 : 0;
    s.own[axis] = box.own[axis] = margin;
    s.own_end[axis] = s.n[axis] - margin;
    box.own_size[axis] = s.n[axis] - 2 * margin;
  }
  auto rows = multigrid::level_rows<T>(machine, s, values, false, false);
  level.scaled = std::move(rows.scaled);
  for (auto* vector : {&level.g, &level.x, &level.y}) *vector = Array<T>(s.rows, T(0));
  const Vector g = noise(s.rows, 1), x = noise(s.rows, 2);
  for (std::int64_t row = 0; row < s.rows; ++row) {
    if (s.position(s.node_of(row))[0] >= s.n[0]) continue;
    level.g[row] = static_cast<T>(g[row]);
    level.x[row] = static_cast<T>(x[row]);
  }
  const multigrid::GridSize whole{{s.n[0], s.n[1], s.n[2]}, {s.wraps[0], s.wraps[1], s.wraps[2]}, s.dof};
  level.in_place =
      multigrid::in_place(s, box, whole.wraps, 1, multigrid::line_factors<T>(machine, s, whole, values));
  for (const bool before : {true, false}) multigrid::smooth_in_place(machine, level, before);
  return {level.x.begin(), level.x.end()};
}

template <class T>
void expect_lines(const Hub& a, LineWords words, bool few, bool part) {
  Checked<OnHost> one_by_one;
  const std::vector<T> expected = sweep_of<T>(one_by_one, a, words, few, part);
  EXPECT_GT(one_by_one.steps, 0);
  using Shape = std::pair<int, int>;
  for (const auto& [bytes, processors] : {Shape{96 << 10, 1}, {96 << 10, 1000}, {2 << 10, 1}}) {
    if (std::is_same_v<T, double> && processors > 1) continue;  // as long, and nothing new
    if (testing::Test::HasFatalFailure()) return;
    SCOPED_TRACE(std::to_string(bytes) + " bytes, processors " + std::to_string(processors));
    Checked<InTeams> teams;
    teams.most_bytes = bytes;
    teams.processors = processors;
    const std::vector<T> found = sweep_of<T>(teams, a, words, few, part);
    EXPECT_EQ(teams.steps, one_by_one.steps);
    const double bound = std::is_same_v<T, float> ? 1e-5 : 1e-12;
    EXPECT_LE(distance({found.begin(), found.end()}, {expected.begin(), expected.end()}), bound);
  }
}

void expect_lines_of(const Hub& a, LineWords words = LineWords::none, bool few = false, bool part = false) {
  expect_lines<double>(a, words, few, part);
  expect_lines<float>(a, words, few, part);
}

TEST(GridMultigridLines, AreSolvedExactly) {
  for (const int length : {1, 2, 31, 33, 257})
    for (int axis = 0; axis < 3; ++axis)
      for (const char* sides : {"value:0", "periodic"}) {
        if (length == 2 && sides == std::string("periodic")) continue;
        if (sanitized && (length > 33 || length == 2 || axis != length % 3)) continue;
        std::array<std::int64_t, 3> n{3, 3, 4};
        n[axis] = length;
        const auto grid = [&](int dof) { return Grid{3, n, {1, 0.8, 1.1}, dof}; };
        SCOPED_TRACE(to_string(grid(1)) + " " + sides);
        expect_lines_of(poisson(grid(1), sides));
        expect_lines_of(poisson(grid(1), sides, "box"));
        expect_lines_of(dominant_blocks(grid(1), "star", sides, 1.01));
        if (length == 257 && axis != 1) continue;
        expect_lines_of(dominant_blocks(grid(2), "star", sides, 1.01));
        expect_lines_of(dominant_blocks(grid(3), "box", sides, 1.01));
        if (sanitized) continue;
        expect_lines_of(dominant_blocks(grid(4), "star", sides, 1.01));
        if (length < 257) expect_lines_of(dominant_blocks(grid(5), "star", sides, 1.01));
      }
}

// A line that is all of a closed grid, as coarse ones of narrow grids are, has no last pivot but rounding:
// it must not blow up the constants.
TEST(GridMultigridLines, MayBeAllOfAClosedGrid) {
  for (const auto& [n, dof] : {std::pair<std::array<std::int64_t, 3>, int>{{4, 33, 1}, 3}, {{2, 40, 1}, 1}}) {
    const Hub a = coupled(grid_of(n, {1, 1, 1}, dof), "clamp");
    GridMultigridOptions options = down_to(8 * dof);
    options.smoother = LevelSmoother::lines;
    options.cycle = CycleKind::f;
    Cycle m(a, options);
    Vector b = noise(a.rows(), 1);
    remove_means(b, dof);
    const Vector x = m(b);
    Vector varies = x;
    remove_means(varies, dof);
    EXPECT_LE(norm(x), 3 * norm(varies)) << dof;
  }
}

TEST(GridMultigridLines, OfFewRowsAndOfParts) {
  for (const std::array<std::int64_t, 3>& n :
       {std::array<std::int64_t, 3>{32, 24, 1}, {30, 17, 12}, {12, 33, 15}})
    for (const char* sides : {"value:0", "periodic"})
      for (const char* stencil : {"star", "box"}) {
        if (sanitized && n[2] > 1) continue;
        SCOPED_TRACE(to_string(grid_of(n)) + " " + sides + " " + stencil);
        const Hub a = poisson(grid_of(n), sides, stencil);
        for (const LineWords words : {LineWords::none, LineWords::whole, LineWords::padded})
          expect_lines_of(a, words, true);
        expect_lines_of(a, LineWords::none, false, true);
      }
  for (const int dof : {2, 3}) {
    if (sanitized && dof == 3) continue;
    const Hub a = elastic(grid_of({14, 13, dof == 2 ? 1 : 12}, {1, 1, 1}, dof), "value:0");
    expect_lines_of(a, LineWords::none, true);
    expect_lines_of(a, LineWords::none, false, true);
  }
}

// The scan over lanes, against the plain recurrence.
template <class T, int Dof>
void expect_recurrence(int count, int direction) {
  const int entry = count + 3, chunk = ((count + multigrid::lanes - 1) / multigrid::lanes) | 1;
  std::vector<T> f(static_cast<std::size_t>(entry * Dof)), m(static_cast<std::size_t>(entry * Dof * Dof));
  const Vector of_f = noise(std::ssize(f), 1), of_m = noise(std::ssize(m), 2);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<T>(of_f[i]);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<T>(of_m[i] / (Dof == 1 ? 1 : Dof));
  const std::vector<T> given = f;
  multigrid::LineEnd<T, Dof> last{};
  for (int r = 0; r < Dof; ++r) last.y[r] = static_cast<T>(r + 1);
  double y[Dof] = {};
  std::copy(last.y, last.y + Dof, y);
  const int first = direction > 0 ? 0 : count - 1;
  multigrid::solve(
      WarpInLoops{},
      multigrid::LineRecurrence<T, Dof>{f.data(), m.data(), entry, first, direction, count, chunk}, last);
  const double bound = 50 * std::numeric_limits<T>::epsilon();
  for (int k = 0; k < count; ++k) {
    const int place = first + k * direction;
    double next[Dof] = {};
    for (int r = 0; r < Dof; ++r) {
      next[r] = given[r * entry + place];
      for (int c = 0; c < Dof; ++c) next[r] += double{m[(c * Dof + r) * entry + place]} * y[c];
    }
    for (int r = 0; r < Dof; ++r) {
      y[r] = next[r];
      ASSERT_NEAR(f[r * entry + place], y[r], bound) << place;
    }
  }
  for (int r = 0; r < Dof; ++r) {
    EXPECT_NEAR(last.y[r], y[r], bound);
    EXPECT_EQ(f[r * entry + count], given[r * entry + count]) << "behind the line";
  }
}
TEST(GridMultigridLines, LanesSolveARecurrence) {
  for (const int count : {1, 2, 31, 32, 33, 95, 96, 97, 257, 1000})
    for (const int direction : {1, -1}) {
      SCOPED_TRACE(std::to_string(count) + ", direction " + std::to_string(direction));
      expect_recurrence<double, 1>(count, direction);
      expect_recurrence<float, 1>(count, direction);
      expect_recurrence<double, 2>(count, direction);
      expect_recurrence<float, 3>(count, direction);
      expect_recurrence<double, 4>(count, direction);
    }
}

// Neighbouring lines together, but for few of them, and for lines that do not fit.
TEST(GridMultigridLines, AreSharedOutAmongTeams) {
  Lines lines;
  lines.s.dof = 1;
  lines.places.axis = 1;
  const auto tiles = [&](int length, int count, int bytes = 96 << 10) {
    lines.places.end = length;
    lines.colour.count[0] = count;
    return multigrid::line_tiles<float>(lines, bytes, 132);
  };
  EXPECT_EQ(tiles(128, 8192).lines, 8);
  EXPECT_EQ(tiles(128, 8192).teams, 1024);
  EXPECT_EQ(tiles(64, 1024).lines, 4);
  EXPECT_EQ(tiles(16, 3).lines, 8);
  EXPECT_EQ(tiles(16, 3).teams, 1);
  EXPECT_EQ(tiles(1024, 512).lines, 4);
  EXPECT_EQ(tiles(1024, 512).segment, 1024);
  for (const int length : {1, 100, 3000, 5000, 20000})
    for (const int bytes : {48 << 10, 96 << 10}) {
      const LineTiles t = tiles(length, 100000, bytes);
      EXPECT_LE(t.bytes, bytes);
      EXPECT_GE(t.pitch, t.segment);
      EXPECT_EQ(t.pitch % 32, 4);
      EXPECT_EQ(t.chunk % 2, 1);
      EXPECT_GE(t.chunk * multigrid::lanes, t.segment);
      EXPECT_EQ(t.lines, 1 << t.log2_lines);
    }
}

// In cycles, a GPU gives what a CPU gives. Where nothing fixes a value, long grids make more of rounding: the
// cycle with `chebyshev` differs by 4e-8 there.
TEST(GridMultigridLines, OnTheGpuAreThoseOfTheCpu_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::vector<std::pair<std::string, Hub>> all;
  for (const int length : {2, 33, 257, 3000})
    for (int axis = 0; axis < 3; ++axis) {
      std::array<std::int64_t, 3> n{6, 5, 7};
      if (length > 1000) n = {3, 3, 4};
      n[axis] = length;
      const std::string name = std::to_string(length) + " along " + std::to_string(axis);
      const auto grid = [&](int dof) { return Grid{3, n, {1, 0.8, 1.1}, dof}; };
      const char* const sides = length % 2 == 0 ? "value:0" : "periodic";
      all.emplace_back(name, poisson(grid(1), sides));
      all.emplace_back(name + ", box", poisson(grid(1), sides, "box"));
      for (int dof = 1; dof <= (length == 33 ? 5 : length == 2 ? 0 : 3); dof += 2)
        all.emplace_back(name + ", unknowns " + std::to_string(dof),
                         dominant_blocks(grid(dof), dof % 2 == 0 ? "star" : "box", sides, 1.01));
    }
  for (const int dof : {2, 4})
    all.emplace_back("unknowns " + std::to_string(dof),
                     dominant_blocks(Grid{3, {9, 31, 8}, {1, 0.8, 1.1}, dof}, "star", "value:0", 1.01));
  all.emplace_back("2D", poisson(grid_of({200, 300, 1}), "value:0"));
  all.emplace_back("3D", poisson(grid_of({64, 64, 64}), "value:0"));
  all.emplace_back("jumps", jumping(grid_of({40, 41, 42}), "value:0", 1, 10));
  all.emplace_back("elasticity", elastic(grid_of({24, 25, 26}, {1, 1, 1}, 3), "value:0"));
  for (const auto& [name, a] : all)
    for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
      SCOPED_TRACE(name + (precision == CyclePrecision::fp64 ? ", fp64" : ", fp32"));
      GridMultigridOptions options = down_to(30, precision);
      options.smoother = LevelSmoother::lines;
      Cycle gpu(a, options, SpaceKind::cuda), cpu(a, options);
      Vector b = noise(a.rows(), 1);
      if (cpu.info().singular) remove_means(b, a.dof);
      const Vector x = gpu(b);
      const bool exact = precision == CyclePrecision::fp64 && !cpu.info().singular;
      EXPECT_LE(distance(x, cpu(b)), exact ? 1e-11 : 2e-5);
      EXPECT_EQ(gpu(b), x);
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
