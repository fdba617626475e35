// cds and compact with values in fp32 and bf16: products within the bound that goes with it, exact ones where
// nothing is rounded, on the CPU and with both kernels of the GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/make_operator.hpp"
#include "tests/planted.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

struct Way {
  const char* format;
  ValuePrecision precision;
  Specialise specialise;
};

template <class T, class Body>
void for_ways(const Body& body) {
  for (const char* format : {"cds", "compact"})
    for (const ValuePrecision precision : {ValuePrecision::fp32, ValuePrecision::bf16})
      for (const Specialise specialise : {Specialise::never, Specialise::always}) {
        SCOPED_TRACE(std::string(format) + ", " + to_string(precision) +
                     (specialise == Specialise::always ? ", compiled" : ""));
        body(Way{format, precision, specialise});
      }
}

template <class T>
std::unique_ptr<SpmvOperator<T>> made(const Way& way, SpaceKind space, const BlockDiagonals<T>& hub,
                                      bool transposed = false) {
  FormatOptions options;
  options.value_precision = way.precision;
  options.specialise = way.specialise;
  options.of_transpose = transposed;
  return make_operator(way.format, space, input_of(copy_of(hub)), options);
}

template <class T>
Reference exact(const BlockDiagonals<T>& hub, const std::vector<T>& x, bool transposed) {
  const Csr<double> csr = cast<double>(to_csr(hub));
  const std::vector<double> in_double(x.begin(), x.end());
  return reference_of(transposed ? quadrille::transposed(csr) : copy_of(csr), in_double.data(),
                      std::numeric_limits<T>::max());
}

template <class T>
void within_the_bound(SpaceKind space, std::uint64_t seed) {
  const BlockDiagonals<T> hub = planted::draw<T>(seed).hub;
  const std::vector<T> x = test_vector<T>(hub.rows(), false, 3);
  for (const bool transposed : {false, true}) {
    const Reference reference = exact(hub, x, transposed);
    for_ways<T>([&](const Way& way) {
      const auto a = made(way, space, hub, transposed);
      std::vector<T> y(x.size(), std::numeric_limits<T>::quiet_NaN());
      transposed ? host_apply_transpose(*a, x, y) : host_apply(*a, x, y);
      EXPECT_EQ(a->value_error(), rounding_of(way.precision, sizeof(T)));
      EXPECT_LE(reference.compare(y.data(), a->value_error()).error_over_bound, 1);
      // What is multiplied is what to_csr() tells.
      const Reference own =
          reference_of(cast<double>(a->to_csr()), std::vector<double>(x.begin(), x.end()).data());
      if (!transposed) {
        EXPECT_LE(own.compare(y.data()).error_over_bound, 1);
      }
    });
  }
}

// Integers below 2^8, which bf16 holds.
template <class T>
void exact_for_integers(SpaceKind space, std::uint64_t seed) {
  const BlockDiagonals<T> hub = planted::draw<T>(seed, true).hub;
  const std::vector<T> x = test_vector<T>(hub.rows(), true, 3);
  const Reference reference = exact(hub, x, false);
  for_ways<T>([&](const Way& way) {
    std::vector<T> y = test_vector<T>(hub.rows(), true, 5);
    const std::vector<T> before = y;
    host_apply(*made(way, space, hub), x, y, T(2), T(-1));
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], T(2 * reference.y()[i] - before[i])) << i;
  });
}

// Several vectors at once, of integers.
template <class T>
void exact_for_several(SpaceKind space, std::uint64_t seed) {
  constexpr int count = 5;
  const BlockDiagonals<T> hub = planted::draw<T>(seed, true).hub;
  const std::vector<T> x = test_vector<T>(hub.rows() * count, true, 3);
  for_ways<T>([&](const Way& way) {
    const auto a = made(way, space, hub);
    std::vector<T> y(x.size(), std::numeric_limits<T>::quiet_NaN());
    host_apply_multiple(*a, x, y, count);
    for (int v = 0; v < count; ++v) {
      const auto first = v * hub.rows();
      const Reference reference = exact(hub, {x.begin() + first, x.begin() + first + hub.rows()}, false);
      for (std::int64_t i = 0; i < hub.rows(); ++i)
        ASSERT_EQ(y[first + i], reference.y()[i]) << "row " << i << " of vector " << v;
    }
  });
}

void products(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    within_the_bound<double>(space, seed);
    within_the_bound<float>(space, seed);
    exact_for_integers<double>(space, seed);
    exact_for_integers<float>(space, seed);
    if (seed > 4) continue;
    exact_for_several<double>(space, seed);
    exact_for_several<float>(space, seed);
  }
}

TEST(ValuePrecision, Products_cpu) {
  products(SpaceKind::cpu);
}
TEST(ValuePrecision, Products_cuda) {
  products(SpaceKind::cuda);
}

// Blocks that no kernel of their own is for.
TEST(ValuePrecision, LargeBlocks_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  BlockDiagonals<double> hub{{{40, 3, 1}, {}, 11, {{0, 0, 0}, {1, 0, 0}}}, Array<double>(2 * 11 * 11 * 120)};
  for (std::int64_t i = 0; i < hub.values.size(); ++i) hub.values[i] = 1 + i % 7;
  for (std::int64_t row = 0; row < hub.rows(); ++row)
    for (int c = 0; c < 11 && row / 11 % 40 == 39; ++c) hub.values[(11 + c) * hub.rows() + row] = 0;
  const std::vector<double> x = test_vector<double>(hub.rows(), true, 3);
  const Reference reference = exact(hub, x, false);
  for_ways<double>([&](const Way& way) {
    std::vector<double> y(x.size(), std::nan(""));
    host_apply(*made(way, SpaceKind::cuda, hub), x, y);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], reference.y()[i]) << i;
  });
}

// A precision of the vectors' own is none, and stores nothing anew.
TEST(ValuePrecision, OfTheVectorsIsTheFormatItself) {
  const BlockDiagonals<float> hub = planted::draw<float>(3).hub;
  const auto a = made<float>({"cds", ValuePrecision::fp32, Specialise::never}, SpaceKind::cpu, hub);
  EXPECT_EQ(a->value_error(), 0);
  EXPECT_TRUE(identical(a->to_csr(), to_csr(hub)));
}

TEST(ValuePrecision, RefusesWhatItCannotHold) {
  for (const double value : {1e39, 1e-39, -3.4e39}) {
    BlockDiagonals<double> hub = planted::symmetric_star({4, 4, 4});
    hub.values[3 * 64 + 5] = value;
    for (const ValuePrecision precision : {ValuePrecision::fp32, ValuePrecision::bf16})
      for (const FormatEntry& entry : registry()) {
        if (entry.name != "cds" && entry.name != "compact") continue;
        if (entry.space == SpaceKind::cuda && cuda::device_count() == 0) continue;
        EXPECT_THROW(made<double>({entry.name.c_str(), precision, Specialise::never}, entry.space, hub),
                     FormatError)
            << value;
      }
  }
}

}  // namespace
}  // namespace quadrille
