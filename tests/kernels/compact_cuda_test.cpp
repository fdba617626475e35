// What a GPU finds in block diagonals in its memory is what the host finds.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "assembly/stencil_operator.hpp"
#include "cases.hpp"
#include "kernels/cuda/built_kernels.hpp"
#include "kernels/cuda/compact_from_hub.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/jit.hpp"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/stencil_source.hpp"
#include "kernels/cuda/stencil_table_from_hub.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/make_operator.hpp"
#include "tests/planted.hpp"

namespace quadrille {
namespace {

template <class T>
void is_that_of_the_host(const BlockDiagonals<T>& hub) {
  const BlockDiagonals<T, Device> there = copy_to<Device>(hub);
  const Compact<T> host = compact_from_hub(hub), device = copy_to<Host>(cuda::compact_from_hub(there));
  ASSERT_EQ(host.entry.size(), device.entry.size());
  for (std::size_t e = 0; e < host.entry.size(); ++e) {
    EXPECT_EQ(host.entry[e].stored, device.entry[e].stored) << e;
    EXPECT_EQ(host.entry[e].column, device.entry[e].column) << e;
  }
  validate(device);
  EXPECT_TRUE(planted::same_bits(to_hub(device), hub));
}

template <class T>
std::vector<T> product(const std::string& format, const BlockDiagonals<T>& hub, Specialise specialise,
                       bool transposed, bool integer, T beta, bool few_rows = false) {
  FormatOptions options;
  options.specialise = specialise;
  options.few_rows = few_rows;
  options.of_transpose = transposed;
  const auto a = make_operator(format, SpaceKind::cuda, input_of(copy_of(hub)), options);
  const std::vector<T> x = test_vector<T>(hub.rows(), integer, 3);
  std::vector<T> y = test_vector<T>(hub.rows(), integer, 4);
  transposed ? host_apply_transpose(*a, x, y, T(1.5), beta) : host_apply(*a, x, y, T(1.5), beta);
  return y;
}

// The compilers may fuse other multiplications with additions: the bits are those of exact sums alone.
template <class T>
void compare_kernels(const std::string& format, std::uint64_t seed, bool transposed) {
  for (const bool integer : {false, true})
    for (const T beta : {T(0), T(-0.5)}) {
      const BlockDiagonals<T> hub = planted::draw<T>(seed, integer).hub;
      const std::vector<T> of_own = product(format, hub, Specialise::always, transposed, integer, beta),
                           of_all = product(format, hub, Specialise::never, transposed, integer, beta);
      for (std::size_t i = 0; i < of_own.size(); ++i)
        ASSERT_NEAR(of_own[i], of_all[i], integer ? 0 : (sizeof(T) == 8 ? 1e-13 : 1e-4)) << i;
    }
  EXPECT_EQ(cuda::why_not_compiled(), "");
}

TEST(CompactOnTheDevice, cuda_IsThatOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    is_that_of_the_host(planted::draw<double>(seed).hub);
    is_that_of_the_host(planted::draw<float>(seed).hub);
  }
  is_that_of_the_host(planted::symmetric_star({70, 60, 50}));
}

// With the numbers of the host, also where two values are one ulp apart, for every place in a row.
template <class T>
void has_the_table_of_the_host(const BlockDiagonals<T>& hub) {
  const BlockDiagonals<T, Device> there = copy_to<Device>(hub);
  const StencilTable<T> host = stencil_table_from_hub(hub),
                        device = copy_to<Host>(cuda::stencil_table_from_hub(there));
  EXPECT_EQ(cuda::count_stencils(there), host.stencils);
  ASSERT_EQ(device.stencils, host.stencils);
  EXPECT_TRUE(std::equal(host.bytes.begin(), host.bytes.end(), device.bytes.begin(), device.bytes.end()));
  EXPECT_TRUE(std::equal(host.words.begin(), host.words.end(), device.words.begin(), device.words.end()));
  validate(device);
  EXPECT_TRUE(planted::same_bits(to_hub(device), hub));
}

TEST(StencilTableOnTheDevice, cuda_IsThatOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    has_the_table_of_the_host(planted::draw<double>(seed).hub);
    has_the_table_of_the_host(planted::draw<float>(seed).hub);
  }
  BlockDiagonals<double> many;
  static_cast<BlockStructure&>(many) = planted::draw<double>(1).hub;
  many.extents = {70, 60, 50};
  many.dof = 1;
  many.fill = {};
  many.offsets = {{0, 0, 0}};
  many.values = Array<double>(many.nodes());
  for (std::int64_t i = 0; i < many.nodes(); ++i) many.values[i] = static_cast<double>(i % 60000);
  has_the_table_of_the_host(many);
  for (std::int64_t i = 0; i < many.nodes(); ++i) many.values[i] = static_cast<double>(i);
  EXPECT_EQ(cuda::count_stencils(copy_to<Device>(many)), most_stencils + 1);
  EXPECT_THROW(cuda::stencil_table_from_hub(copy_to<Device>(many)), FormatError);
}

// One ulp, up or down, or a zero in place of a number, anywhere is seen by both forms.
TEST(CompactOnTheDevice, cuda_SeesOneUlp) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const BlockDiagonals<double> whole = planted::symmetric_star({23, 9, 7});
  for (std::int64_t i = 0; i < whole.values.size(); i += 89)
    for (const double to : {-1e300, 0.0, 1e300}) {
      if (whole.values[i] == 0) continue;  // no neighbour
      BlockDiagonals<double> hub = copy_of(whole);
      hub.values[i] = to == 0 ? -0.0 : std::nextafter(hub.values[i], to);
      SCOPED_TRACE(i);
      is_that_of_the_host(hub);
      has_the_table_of_the_host(hub);
    }
}

// Larger operators have the kernel for all, which says that there are too many nodes.
TEST(KernelSource, HasNoNodesThat32BitsCannotNumber) {
  BlockStructure s;
  s.offsets = {{0, 0, 0}};
  const std::vector<CompactEntry<double>> entries{{Stored::constant, 0, 2.0}};
  s.extents = {1 << 15, 1 << 15, 1};
  EXPECT_NE(cuda::compact_source(s, entries, ValuePrecision::own, {}).text, "");
  s.extents = {1 << 16, 1 << 15, 1};
  EXPECT_EQ(cuda::compact_source(s, entries, ValuePrecision::own, {}).text, "");
}

// Where products by the fill count with one (looks_at_values()), of any size that is worth it.
TEST(BuiltKernels, AreThereForStarsOfOneUnknown) {
  const BlockFill symmetric{.centre = {1}, .beside = {1}, .constants = false, .symmetric = true};
  for (const std::array<std::int64_t, 3> extents : {std::array<std::int64_t, 3>{51, 52, 53},
                                                    {64, 64, 64},
                                                    {100, 200, 37},
                                                    {129, 128, 127},
                                                    {255, 257, 256},
                                                    {512, 512, 512},
                                                    {363, 364, 1},
                                                    {1000, 2001, 1},
                                                    {3000, 301, 1},
                                                    {640, 480, 1},
                                                    {8192, 4096, 1}})
    for (const BoundaryKind kind : {BoundaryKind::value, BoundaryKind::clamp, BoundaryKind::periodic}) {
      Boundary boundary;
      boundary.faces.fill({kind, 0});
      const int dimension = extents[2] > 1 ? 3 : 2;
      const BlockStructure s =
          block_structure({.extents = extents}, star_stencil(dimension, 1), boundary, symmetric);
      EXPECT_TRUE(looks_at_values(s));
      CompactFacts<double> facts;
      for (const NodeOffset& o : s.offsets) {
        facts.first.push_back(o == NodeOffset{} ? 6 : -1);
        facts.varies.push_back(0), facts.differs.push_back(0);
      }
      const auto expect_one = [&](const char* of) {
        for (const bool with_dot : {false, true}) {
          const std::string text = cuda::compact_source(s, compact_entries(s, facts), ValuePrecision::own,
                                                        {.with_dot = with_dot, .any_grid = true})
                                       .text;
          EXPECT_NE(cuda::built_kernel((with_dot ? cuda::dot_source() : "") + text), nullptr)
              << of << ", " << extents[0] << " x " << extents[1] << " x " << extents[2];
        }
      };
      expect_one("constants");
      facts.varies[s.offsets.size() / 2] = 1;
      expect_one("constants beside a diagonal");
      std::fill(facts.varies.begin(), facts.varies.end(), 1);
      expect_one("symmetric");
    }
}

// Kernels that are compiled for the operator give what those that are for all do.
TEST(CompactOnTheDevice, cuda_CompiledKernelsGiveTheProductsOfTheOthers) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 16; ++seed)
    for (const char* format : {"compact", "stencil_table"})
      for (const bool transposed : {false, true}) {
        SCOPED_TRACE(std::string(format) + ", " + std::to_string(seed) + (transposed ? ", transposed" : ""));
        compare_kernels<double>(format, seed, transposed);
        compare_kernels<float>(format, seed, transposed);
      }
}

// Constants by kind: what reacts at a node, and neighbours that couple each unknown with its own kind alone.
template <class T>
void multiplies_by_kind(const std::array<std::int64_t, 3>& extents, int dof, bool box, BoundaryKind kind) {
  const int dimension = extents[2] > 1 ? 3 : 2;
  const Grid grid{.dimension = dimension, .extents = extents, .dof = dof};
  Boundary boundary;
  boundary.faces.fill({kind, 0});
  const auto of_kinds = [dof](const StencilNode&, const StencilNeighbour& to, int r, int c) {
    const Offset& o = to.offset;
    if (o == Offset{}) return (r * dof + c) % 7 == 3 ? 0.0 : std::sin(1.0 + r * dof + c) + (r == c ? dof : 0);
    return r == c ? std::cos(o.x + 2.3 * o.y + 5.1 * o.z + 0.7 * r) : 0.0;
  };
  const BlockDiagonals<T> hub =
      assemble<T>(grid, box ? box_stencil(dimension, 1) : star_stencil(dimension, 1), boundary, of_kinds).hub;
  const auto entries = compact_entries(hub);
  ASSERT_TRUE(has_constants_by_kind(hub, entries));
  EXPECT_EQ(cuda::takes_kinds(hub, entries), dof >= 4 && dof % (16 / static_cast<int>(sizeof(T))) == 0);
  const auto csr = make_operator("csr", SpaceKind::cpu, input_of(copy_of(hub)));
  const std::vector<T> x = test_vector<T>(hub.rows(), false, 3);
  for (const T beta : {T(0), T(-0.5)}) {
    std::vector<T> expected = test_vector<T>(hub.rows(), false, 4);
    host_apply(*csr, x, expected, T(1.5), beta);
    const std::vector<T> found = product("compact", hub, Specialise::always, false, false, beta, true);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], dof * (sizeof(T) == 8 ? 1e-14 : 5e-6)) << i;
  }
}
TEST(CompactOnTheDevice, cuda_MultipliesByKind) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const std::array<std::int64_t, 3> extents :
       {std::array<std::int64_t, 3>{9, 7, 6}, {130, 3, 5}, {33, 4, 8}, {40, 17, 1}, {1, 1, 3}})
    for (const int dof : {2, 4, 6, 8, 12, 16, 30})
      for (const BoundaryKind kind : {BoundaryKind::drop, BoundaryKind::periodic}) {
        SCOPED_TRACE(std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " +
                     std::to_string(extents[2]) + ", " + std::to_string(dof) + " unknowns");
        multiplies_by_kind<double>(extents, dof, dof % 8 == 4, kind);
        multiplies_by_kind<float>(extents, dof, dof % 8 == 4, kind);
      }
}

// What is seen to be symmetric has one product, of the same bits, by the same kernel.
void multiplies_by_the_product(SpaceKind space) {
  const Grid grid{.extents = {20, 9, 7}, .dof = 2};
  const auto both = [](const StencilNode&, const StencilNeighbour& to, int r, int c) {
    const Offset& o = to.offset;
    return o == Offset{} ? (r == c ? 9.1 : 0.3) : 0.1 * (o.x * o.x + 2 * o.y * o.y + 3 * o.z * o.z) + r + c;
  };
  const BlockDiagonals<double> hub = assemble<double>(grid, box_stencil(3, 1), Boundary{}, both).hub;
  const std::vector<double> x = test_vector<double>(hub.rows(), false, 3);
  std::vector<double> y(x.size()), of_transpose(x.size()), expected(x.size());
  FormatOptions options;
  for (const Specialise specialise : {Specialise::never, Specialise::always}) {
    options.specialise = specialise;
    const auto a = make_operator("compact", space, input_of(copy_of(hub)), options);
    host_apply(*a, x, y);
    host_apply_transpose(*a, x, of_transpose);
    EXPECT_EQ(y, of_transpose);
  }
  host_apply_transpose(*make_operator("csr", SpaceKind::cpu, input_of(copy_of(hub))), x, expected);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(expected[i], of_transpose[i], 1e-12) << i;
}
TEST(CompactOnTheHost, SymmetricOperatorsHaveOneProduct) {
  multiplies_by_the_product(SpaceKind::cpu);
}
TEST(CompactOnTheDevice, cuda_SymmetricOperatorsHaveOneProduct) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  multiplies_by_the_product(SpaceKind::cuda);
}

// The first `count` vectors' products, of x and of what y holds.
template <class T>
std::vector<T> products(const SpmvOperator<T>& a, const std::vector<T>& x, std::vector<T> y, int count,
                        T beta) {
  y.resize(static_cast<std::size_t>(a.rows() * count));
  host_apply_multiple(a, {x.begin(), x.begin() + a.columns() * count}, y, count, T(1.5), beta);
  return y;
}

// Compiled kernels for several vectors at once, in groups of one size and of two, against single products of
// the compiled kernel and of the one for all: the same numbers within rounding, for compilers fuse products
// and sums as they see fit.
template <class T>
void compare_several(const std::string& format, std::uint64_t seed) {
  const bool integer = seed % 2 == 0;
  FormatOptions of_own, of_all;
  of_own.specialise = Specialise::always;
  of_all.specialise = Specialise::never;
  const BlockDiagonals<T> hub = planted::draw<T>(seed, integer, seed % 4 < 2 ? 1 : 4).hub;
  const auto a = make_operator(format, SpaceKind::cuda, input_of(copy_of(hub)), of_own),
             plain = make_operator(format, SpaceKind::cuda, input_of(copy_of(hub)), of_all);
  constexpr int most = 17;
  const double tolerance = integer ? 0 : sizeof(T) == 8 ? 1e-13 : 1e-4;
  const std::vector<T> x = test_vector<T>(hub.rows() * most, integer, 3),
                       before = test_vector<T>(hub.rows() * most, integer, 4),
                       unread(before.size(), std::numeric_limits<T>::quiet_NaN());
  for (const int count : {3, 8, most})
    for (const T beta : {T(0), T(-0.5)}) {
      SCOPED_TRACE(std::to_string(count) + " vectors");
      const std::vector<T>& y = beta == 0 ? unread : before;
      const std::vector<T> found = products(*a, x, y, count, beta),
                           expected = products(*plain, x, y, count, beta);
      std::vector<T> expected_of_one;
      const auto vector = [&](const std::vector<T>& all, int v) {
        return std::vector<T>(all.begin() + v * hub.rows(), all.begin() + (v + 1) * hub.rows());
      };
      for (int v = 0; v < count; ++v) {
        std::vector<T> of_one = vector(y, v);
        host_apply(*a, vector(x, v), of_one, T(1.5), beta);
        expected_of_one.insert(expected_of_one.end(), of_one.begin(), of_one.end());
      }
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], tolerance) << i;
        ASSERT_NEAR(found[i], expected_of_one[i], tolerance) << i;
      }
    }
}

TEST(CompactOnTheDevice, cuda_CompiledKernelsMultiplySeveralVectorsAtOnce) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const char* format : {"compact", "stencil_table"}) {
      SCOPED_TRACE(std::string(format) + ", " + std::to_string(seed));
      compare_several<double>(format, seed);
      compare_several<float>(format, seed);
    }
  EXPECT_EQ(cuda::why_not_compiled(), "");
}

// The product's own bits, and x . A x, the same every time; the one before moves on.
TEST(CompactOnTheDevice, cuda_GivesTheDotOfAProduct) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const BlockDiagonals<double> hub = planted::draw<double>(seed, false, seed % 2 == 0 ? 1 : 4).hub;
    FormatOptions options;
    options.specialise = seed % 3 == 0 ? Specialise::never : Specialise::always;
    const auto a = make_operator("compact", SpaceKind::cuda, input_of(copy_of(hub)), options);
    const std::vector<double> x = test_vector<double>(hub.rows(), false, 3);
    Array<double, Device> on_device(hub.rows()), y(hub.rows()), z(hub.rows()), dots(2);
    memory::copy_to_device(on_device.data(), x.data(), on_device.bytes());
    EXPECT_FALSE(a->multiply_with_dot({}, on_device.data(), z.data(), dots.data()));
    if (!a->prepare_dot()) {
      EXPECT_TRUE(hub.rows() == 0 || cuda::takes_kinds(hub, compact_entries(hub)))
          << cuda::why_not_compiled();
      continue;
    }
    a->multiply({}, on_device.data(), {y.data()});
    std::array<double, 2> found[2];
    for (auto& each : found) {
      ASSERT_TRUE(a->multiply_with_dot({}, on_device.data(), z.data(), dots.data()));
      memory::copy_to_host(each.data(), dots.data(), dots.bytes());
    }
    EXPECT_EQ(found[0][0], found[1][0]);
    EXPECT_EQ(found[0][0], found[1][1]);
    const Array<double> product = copy_to<Host>(y), with_dot = copy_to<Host>(z);
    double sum = 0, sizes = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(product[i], with_dot[i], 1e-13);
      sum += x[i] * with_dot[i];
      sizes += std::abs(x[i] * with_dot[i]);
    }
    EXPECT_NEAR(found[0][0], sum, 1e-13 * (1 + sizes));
  }
}

}  // namespace
}  // namespace quadrille
