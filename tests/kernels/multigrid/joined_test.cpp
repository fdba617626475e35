// The steps of the finest level in two passes over memory, and rows that kernels have as parameters: on a GPU
// the cycle is that of the steps one by one, on the host.
#include <limits>

#include "cases.hpp"
#include "kernels/multigrid/inner_row.hpp"
#include "kernels/multigrid/joined_steps.hpp"

namespace quadrille::multigrid_test {
namespace {

using namespace multigrid;

// The rows that are stored of an operator, as levels have them.
struct Few {
  Couplings s;
  Vector values, scaled, diagonal;  // A; D^-1 A beside the diagonal; D
};
Few few_rows(const Hub& a) {
  int n[3];
  bool wraps[3];
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = static_cast<int>(a.extents[axis]);
    wraps[axis] = a.periodic[axis];
  }
  const int dof = a.dof;
  Few few{couplings_of(a, nullptr, few_nodes(n, wraps, dof == 1 ? LineWords::padded : LineWords::none)),
          {},
          {},
          {}};
  const Couplings &s = few.s, all = couplings_of(a);
  const auto columns = [&](std::int64_t d) {  // of a block diagonal
    Vector of;
    for (int c = 0; c < dof; ++c)
      for (int node = 0; node < s.stored_nodes(); ++node)
        for (int r = 0; r < dof; ++r) {
          const auto at = s.stored_position(node);
          of.push_back(at[0] < s.n[0] ? a.values[(d * dof + c) * a.rows() + all.index(at) * dof + r] : 0);
        }
    return of;
  };
  const auto put = [](Vector& to, const Vector& more) { to.insert(to.end(), more.begin(), more.end()); };
  for (std::int64_t d = 0; d < a.diagonals(); ++d) put(few.values, columns(d));
  few.diagonal = columns(s.centre);
  for (int d = 0; d < s.count; ++d) {  // entry by entry, which is D^-1 A of one unknown
    Vector of = columns(s.diagonal[d]);
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = few.diagonal[i] == 0 ? 0 : of[i] / few.diagonal[i];
    put(few.scaled, of);
  }
  return few;
}

TEST(InnerRow, IsThatOfNodesFarFromFaces) {
  const Hub a =
      poisson(grid_of({22, 12, 9}, {1, 2, 3}), "clamp,value:0,value:0,value:0,clamp,value:0", "box");
  const Few few = few_rows(a);
  const InnerRows<double> rows = inner_rows(few.s, few.scaled.data(), few.diagonal.data());
  ASSERT_TRUE(rows.there);
  const InnerRow<double> row = rows.of<1>();
  const std::int64_t middle = (4 * 12 + 6) * 22 + 10;
  EXPECT_EQ(row.diagonal[0], a.values[centre_of(a) * a.rows() + middle]);
  for (std::int64_t d = 0; d < a.diagonals(); ++d) {
    const NodeOffset o = a.offsets[d];
    const double wanted = o == NodeOffset{} ? 0 : a.values[d * a.rows() + middle] / row.diagonal[0];
    EXPECT_EQ(row.a[(o.z + 1) * 9 + (o.y + 1) * 3 + o.x + 1], wanted) << d;
  }
  EXPECT_EQ(row.first[0], 4);
  EXPECT_EQ(row.end[0], 20);   // the line has 24 nodes, the last word of it is near the face
  EXPECT_EQ(row.first[1], 1);  // the second one from a face looks no further than the first
  EXPECT_EQ(row.end[1], 11);
  EXPECT_EQ(row.end[2], 8);
}

TEST(InnerRow, OfAxesThatWrapStartsBesideTheirEnds) {
  const Few few = few_rows(poisson(grid_of({24, 12, 9}), "periodic,periodic,periodic,periodic,clamp,clamp"));
  const InnerRows<double> rows = inner_rows(few.s, few.scaled.data(), few.diagonal.data());
  ASSERT_TRUE(rows.there);
  const InnerRow<double> row = rows.of<1>();
  constexpr int word = 4;  // of what is stored, whatever a call takes: a row behind it is another line's
  EXPECT_EQ(std::to_array(row.first), (std::array{word, 1, 1}));
  EXPECT_EQ(std::to_array(row.end), (std::array{24 - word, 11, 8}));
}

TEST(InnerRow, OfThreeUnknownsIsABlock) {
  const Hub a = elastic(grid_of({11, 12, 9}, {1, 1, 1}, 3), "clamp,value:0,value:0,value:0,clamp,value:0");
  const Few few = few_rows(a);
  const InnerRows<double> rows = inner_rows(few.s, few.scaled.data(), few.diagonal.data());
  ASSERT_TRUE(rows.there);
  const InnerRow<double, 3> row = rows.of<3>();
  EXPECT_EQ(std::to_array(row.first), (std::array{1, 1, 1}));
  EXPECT_EQ(std::to_array(row.end), (std::array{10, 11, 8}));
  const std::int64_t middle = ((4 * 12 + 6) * 11 + 5) * 3;
  for (std::int64_t d = 0; d < a.diagonals(); ++d) {
    const NodeOffset o = a.offsets[d];
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) {
        const double value = a.values[(d * 3 + c) * a.rows() + middle + r],
                     of_diagonal = row.diagonal[c * 3 + r];
        EXPECT_EQ(o == NodeOffset{} ? of_diagonal : value, value);
        const double wanted = o == NodeOffset{} ? 0 : of_diagonal == 0 ? 0 : value / of_diagonal;
        EXPECT_EQ(row.a[((o.z + 1) * 9 + (o.y + 1) * 3 + o.x + 1) * 9 + c * 3 + r], wanted) << d;
      }
  }
}

TEST(InnerRow, IsNotThereWhereNoNodeIsFarFromFaces) {
  for (const auto& extents : {std::array<std::int64_t, 3>{20, 20, 1}, {20, 4, 20}, {8, 20, 20}}) {
    const Few few = few_rows(poisson(grid_of(extents), "value:0", "box"));
    EXPECT_FALSE(inner_rows(few.s, few.scaled.data(), few.diagonal.data()).there) << extents[1];
  }
}

TEST(StarRows, AreThereWhereCouplingsAreTheSame) {
  Hub a = poisson(grid_of({22, 12, 9}, {1, 2, 3}), "clamp,value:0,value:0,clamp,clamp,value:0");
  const Few few = few_rows(a);
  const StarRows<double> rows = star_rows<double>(few.s, few.s, few.values.data());
  ASSERT_TRUE(rows.there);
  const std::int64_t middle = (4 * 12 + 6) * 22 + 10;
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(rows.a[k], a.values[few.s.diagonal[few.s.star[k]] * a.rows() + middle]) << k;
  // Values in faces, whose rows have no couplings.
  cut(a, 4, true, [](std::int64_t node) { return node % 22 == 0; });
  const Few held = few_rows(a);
  EXPECT_FALSE(star_rows<double>(held.s, held.s, held.values.data()).there);
  const Few box = few_rows(poisson(grid_of({22, 12, 9}), "value:0", "box"));
  EXPECT_FALSE(star_rows<double>(box.s, box.s, box.values.data()).there);
}

// Every word is some block's own, and of one alone; tiles fit a block of threads.
TEST(Tiles, ShareOutTheGrid) {
  for (const auto& extents : {std::array<int, 3>{256, 256, 256}, {260, 129, 65}, {12, 5, 7}, {2048, 6, 300}})
    for (const int word : {2, 4})
      for (const int halo : {2, 3}) {
        const int lines = halo - 1, most_threads = lines == 1 ? 512 : 384;
        Couplings s;
        for (int axis = 0; axis < 3; ++axis) s.n[axis] = extents[axis];
        s.line = extents[0];
        const Tiles t = tiles_of(s, word, halo, 132, lines, most_threads);
        EXPECT_LE(t.threads(), most_threads);
        EXPECT_EQ(t.planes % 2, 0);
        EXPECT_GE(t.tiles_x * t.words * word, s.line);
        EXPECT_LT((t.tiles_x - 1) * t.words * word, s.line);
        const int tiles_y = t.across / t.tiles_x, tiles_z = t.blocks / t.across;
        EXPECT_GE(tiles_y * t.lines, s.n[1]);
        EXPECT_LT((tiles_y - 1) * t.lines, s.n[1]);
        EXPECT_GE(tiles_z * t.planes, s.n[2]);
        EXPECT_LT((tiles_z - 1) * t.planes, s.n[2]);
      }
}

void expect_as_on_the_host(const Hub& a, GridMultigridOptions options) {
  const Vector b = noise(a.rows(), 5);
  Cycle device(a, options, SpaceKind::cuda);
  options.joined_from = std::numeric_limits<std::int64_t>::max();
  Cycle separate(a, options, SpaceKind::cuda), host(a, options);
  const double tolerance = options.precision == CyclePrecision::fp64 ? 1e-13 : 3e-6;
  const Vector x = device(b);
  EXPECT_LE(distance(x, separate(b)), tolerance);
  EXPECT_LE(distance(x, host(b)), tolerance);
  EXPECT_EQ(x, device(b));
  EXPECT_LE(device.info().cycle_bytes, separate.info().cycle_bytes);
}

// Lines of whole words and not, planes and lines that no tile divides, coarse nodes that begin with the first
// and the second, two levels and more.
TEST(JoinedSteps, AreTheSeparateOnes_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const struct {
    std::string sides;
    std::array<std::int64_t, 3> extents;
    int coarsest;
  } shapes[] = {{"value:0", {32, 30, 28}, 100},
                {"clamp,value:0,clamp,value:0,clamp,value:0", {33, 31, 29}, 100},
                {"value:0,clamp,clamp,value:0,clamp,clamp", {36, 35, 40}, 100},
                {"clamp,value:0,clamp,value:0,value:0,clamp", {127, 70, 6}, 100},
                {"value:0", {67, 45, 38}, 100},
                {"value:0", {140, 7, 90}, 1500},
                {"clamp,clamp,clamp,clamp,clamp,value:0", {16, 130, 21}, 6000}};
  int round = 0;
  for (const auto& shape : shapes)
    for (const CyclePrecision precision : {CyclePrecision::fp32, CyclePrecision::fp64}) {
      SCOPED_TRACE(std::to_string(round));
      GridMultigridOptions options = down_to(shape.coarsest, precision);
      options.joined_from = 0;
      options.cycle = ++round % 3 == 0 ? CycleKind::w : CycleKind::v;
      expect_as_on_the_host(poisson(grid_of(shape.extents), shape.sides), options);
    }
}

// Vectors of a user need not begin where words do.
TEST(JoinedSteps, TakeVectorsFromAnyNumberOn_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = poisson(grid_of({32, 20, 24}), "value:0");
  GridMultigridOptions options = down_to(100, CyclePrecision::fp32);
  options.joined_from = 0;
  const BlockDiagonals<double, Device> on_device = copy_to<Device>(a);
  const auto cycle = make_grid_multigrid(on_device, options);
  const Vector b = noise(a.rows() + 1, 5);
  Array<double, Device> from(a.rows() + 1), to(a.rows() + 1);
  memory::copy_to_device(from.data(), b.data(), from.bytes());
  cycle->apply(from.data() + 1, to.data() + 1);
  Vector x(b.size());
  memory::copy_to_host(x.data(), to.data(), to.bytes());
  EXPECT_LE(distance(Vector(x.begin() + 1, x.end()), Cycle(a, options)(Vector(b.begin() + 1, b.end()))),
            3e-6);
}

// A star whose couplings vary, each from 1/2 to 1 in steps of 1/128, which bf16 has: symmetric.
Hub varying(const Grid& grid, const std::string& sides) {
  Hub a = poisson(grid, sides);
  const auto place = [&a](const NodeOffset& o) {
    return std::find(a.offsets.begin(), a.offsets.end(), o) - a.offsets.begin();
  };
  std::mt19937 random(3);
  std::uniform_int_distribution<int> part(64, 128);
  const NodeOffset up[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, down[] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const std::int64_t step[] = {1, a.extents[0], a.extents[0] * a.extents[1]};
  for (int axis = 0; axis < 3; ++axis)
    for (std::int64_t row = 0; row < a.rows(); ++row) {
      double& v = entry(a, place(up[axis]), 0, row);
      if (v == 0) continue;
      const double now = -part(random) / 128.0, more = v - now;
      entry(a, centre_of(a), 0, row) += more;
      entry(a, centre_of(a), 0, row + step[axis]) += more;
      v = entry(a, place(down[axis]), 0, row + step[axis]) = now;
    }
  return a;
}
GridMultigridOptions in_two_passes(int coarsest) {
  GridMultigridOptions options = down_to(coarsest, CyclePrecision::fp32);
  options.interpolation = LevelInterpolation::linear;
  options.joined_from = 0;
  return options;
}

// Of whole operators, on the host.
struct Packed {
  std::vector<float> inverse;
  std::vector<Bf16> xy, z;
  double bound = 0;
  explicit Packed(const Hub& a) : inverse(a.rows()), xy(2 * a.rows()), z(a.rows()) {
    const PackStar pack{couplings_of(a), a.values.data(), inverse.data(), xy.data(), z.data()};
    for (std::int64_t row = 0; row < a.rows(); ++row) bound = std::max(bound, pack(row));
  }
};

TEST(PackStar, KeepsSumsOfRows) {
  const Grid grid = grid_of({8, 6, 5}, {1, 2, 3});
  const Hub a = jumping(grid, "clamp,value:0,clamp,clamp,value:0,clamp", 4);
  const Packed packed(a);
  EXPECT_NEAR(packed.bound, 2, 1e-6);
  const Couplings s = couplings_of(a);
  for (std::int64_t row = 0; row < a.rows(); ++row) {
    const auto at = s.position(static_cast<int>(row));
    const std::int64_t x = row / 4 * 8 + row % 4, step[] = {1, 8, 48};
    double stored = 1 / static_cast<double>(packed.inverse[row]), sum = 0, largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto coupling = [&](std::int64_t of) {
        const std::int64_t word = of / 4 * 8 + of % 4;
        return static_cast<double>(axis == 2 ? packed.z[of] : packed.xy[word + 4 * axis]);
      };
      if (at[axis] + 1 < s.n[axis]) stored += coupling(row);
      if (at[axis] > 0) stored += coupling(row - step[axis]);
    }
    for (std::int64_t d = 0; d < a.diagonals(); ++d) {
      sum += a.values[d * a.rows() + row];
      largest = std::max(largest, std::abs(a.values[d * a.rows() + row]));
    }
    EXPECT_NEAR(stored, sum, 1e-6 * largest) << row;
    const double up = a.values[s.diagonal[s.star[3]] * a.rows() + row];
    EXPECT_NEAR(static_cast<double>(packed.xy[x]), up, std::abs(up) / 256);
  }
}

TEST(PackStar, SeesWhatItHasNoPlaceFor) {
  const Grid grid = grid_of({8, 6, 5});
  Hub a = varying(grid, "value:0");
  EXPECT_NEAR(Packed(a).bound, 2, 1e-6);
  const auto with = [&a](int place, std::int64_t row, double value) {
    const Couplings s = couplings_of(a);
    Hub other = copy_to<Host>(a);
    other.values[s.diagonal[s.star[place]] * a.rows() + row] = value;
    return Packed(other).bound;
  };
  const std::int64_t inside = (2 * 6 + 3) * 8 + 4;
  for (int place = 0; place < 6; ++place) EXPECT_EQ(with(place, inside, -0.51), PackStar::unfit) << place;
  EXPECT_EQ(with(3, inside, std::nan("")), PackStar::unfit);
  EXPECT_EQ(Packed(convection(grid, "value:0", {0.1, 0, 0})).bound, PackStar::unfit);
}

// What bf16 has is the same operator.
TEST(JoinedSteps, OfRowsThatVaryAreTheSeparateOnes_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const struct {
    std::string sides;
    std::array<std::int64_t, 3> extents;
    int coarsest;
  } shapes[] = {{"value:0", {32, 30, 28}, 100},
                {"clamp,value:0,clamp,value:0,clamp,value:0", {36, 31, 29}, 100},
                {"value:0,clamp,clamp,value:0,clamp,clamp", {128, 70, 6}, 100},
                {"value:0", {68, 45, 38}, 100},
                {"value:0", {140, 7, 90}, 1500},
                {"clamp,clamp,clamp,clamp,clamp,value:0", {16, 130, 21}, 6000}};
  for (const auto& shape : shapes) {
    SCOPED_TRACE(shape.extents[0]);
    const Hub a = varying(grid_of(shape.extents), shape.sides);
    GridMultigridOptions options = in_two_passes(shape.coarsest);
    expect_as_on_the_host(a, options);
    options.joined_from = std::numeric_limits<std::int64_t>::max();
    const std::int64_t separate = Cycle(a, options, SpaceKind::cuda).info().cycle_bytes;
    EXPECT_LT(Cycle(a, in_two_passes(shape.coarsest), SpaceKind::cuda).info().cycle_bytes, separate);
  }
}

// What is rounded is another operator, near it, and M is symmetric as it is.
TEST(JoinedSteps, OfRoundedRowsAreSymmetric_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = jumping(grid_of({64, 33, 30}), "value:0,clamp,value:0,value:0,value:0,value:0", 5, 10);
  GridMultigridOptions options = in_two_passes(200);
  Cycle rounded(a, options, SpaceKind::cuda), exact(a, options);
  const Vector x = noise(a.rows(), 1), y = noise(a.rows(), 2), mx = rounded(x), my = rounded(y);
  EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-6 * norm(mx) * norm(y));
  EXPECT_EQ(rounded(x), mx);
  EXPECT_LE(distance(mx, exact(x)), 1e-2);
}

TEST(JoinedSteps, MakeTheProductOfTheirVectors_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const Hub& a :
       {poisson(grid_of({67, 45, 38}), "value:0"), varying(grid_of({68, 45, 38}), "value:0")}) {
    GridMultigridOptions options = in_two_passes(100);
    const BlockDiagonals<double, Device> on_device = copy_to<Device>(a);
    const auto cycle = make_grid_multigrid(on_device, options);
    const Vector b = noise(a.rows(), 5);
    Array<double, Device> from(a.rows()), to(a.rows());
    memory::copy_to_device(from.data(), b.data(), from.bytes());
    cycle->apply(from.data(), to.data());
    Vector x(b.size());
    memory::copy_to_host(x.data(), to.data(), to.bytes());
    const DotParts parts = cycle->dot();
    ASSERT_GT(parts.count, 0);
    Vector part(static_cast<std::size_t>(parts.count));
    memory::copy_to_host(part.data(), parts.part, parts.count * static_cast<std::int64_t>(sizeof(double)));
    EXPECT_NEAR(std::accumulate(part.begin(), part.end(), 0.0), dot(b, x), 1e-6 * norm(b) * norm(x));
    options.joined_from = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(make_grid_multigrid(on_device, options)->dot().count, 0);
  }
}

// As large as it takes for rows to be parameters.
TEST(InnerRow, IsAParameterOfLargeLevels_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const CyclePrecision precision : {CyclePrecision::fp32, CyclePrecision::fp64})
    for (const auto& extents : {std::array<std::int64_t, 3>{130, 96, 91}, {512, 263, 9}}) {
      SCOPED_TRACE(extents[1]);
      expect_as_on_the_host(poisson(grid_of(extents), "clamp,value:0,value:0,clamp,value:0,value:0", "box"),
                            down_to(1000, precision));
      if (extents[1] == 96)
        expect_as_on_the_host(
            elastic(grid_of({67, 55, 48}, {1, 1, 1}, 3), "clamp,value:0,value:0,clamp,value:0,value:0"),
            down_to(1000, precision));
    }
  for (const char* sides : {"periodic", "periodic,periodic,clamp,clamp,periodic,periodic"})
    expect_as_on_the_host(poisson(grid_of({128, 95, 90}), sides, "box"), down_to(1000, CyclePrecision::fp32));
  expect_as_on_the_host(elastic(grid_of({50, 66, 64}, {1, 1, 1}, 3), "periodic"),
                        down_to(1000, CyclePrecision::fp32));
}

}  // namespace
}  // namespace quadrille::multigrid_test
