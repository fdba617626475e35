// Changes of stored values on the CPU and on the GPU, against the same done entry by entry; bitwise.
#include "kernels/value_changes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Array<double> random_array(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Array<double> array(size);
  for (std::int64_t i = 0; i < size; ++i) array[i] = value(random);
  return array;
}

template <class Body>
void for_entries(const BlockStructure& s, const Body& body) {  // body(row, column or -1, place)
  const std::int64_t nx = s.extents[0], dof = s.dof;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (std::int64_t node = 0; node < s.nodes(); ++node) {
      const std::int64_t line = node / nx;
      const std::int64_t to = s.neighbour(node % nx, line % s.extents[1], line / s.extents[1],
                                          s.offsets[static_cast<std::size_t>(d)]);
      for (std::int64_t c = 0; c < dof; ++c)
        for (std::int64_t r = 0; r < dof; ++r)
          body(node * dof + r, to < 0 ? -1 : to * dof + c, (d * dof + c) * s.rows() + node * dof + r);
    }
}

// A star; values 0 where there is no neighbour.
BlockDiagonals<double> star(std::array<std::int64_t, 3> extents, std::array<bool, 3> periodic, int dof) {
  BlockDiagonals<double> a;
  a.extents = extents;
  a.periodic = periodic;
  a.dof = dof;
  a.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  a.values = random_array(a.diagonals() * dof * a.rows(), 3);
  for_entries(a, [&](std::int64_t, std::int64_t column, std::int64_t place) {
    if (column < 0) a.values[place] = 0;
  });
  return a;
}

// change(operator, vectors' numbers and result in its memory), on the CPU or on the GPU; the values
// afterwards.
template <class Change>
Array<double> changed(SpaceKind space, const BlockDiagonals<double>& a, const Array<double>& u,
                      Array<double>& v, const Change& change) {
  if (space == SpaceKind::cpu) {
    auto copy = copy_to<Host>(a);
    change(copy, u.data(), v.data());
    return std::move(copy.values);
  }
  auto copy = copy_to<Device>(a);
  const auto u_there = copy_to<Device>(u);
  auto v_there = copy_to<Device>(v);
  change(copy, u_there.data(), v_there.data());
  v = copy_to<Host>(v_there);
  return copy_to<Host>(copy.values);
}

void expect_equal(const Array<double>& got, const Array<double>& expected, const char* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::int64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected[i]) << what << ", place " << i;
}

// `by_entry(row, column, value)` gives the new value of an entry.
template <class Change, class ByEntry>
void expect_change(SpaceKind space, const BlockDiagonals<double>& a, const Array<double>& u, Array<double>& v,
                   const char* what, const Change& change, const ByEntry& by_entry) {
  Array<double> expected = copy_of(a.values);
  for_entries(a, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
    if (column >= 0) expected[place] = by_entry(row, column, expected[place]);
  });
  expect_equal(changed(space, a, u, v, change), expected, what);
}

void change_operators(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  using cpu::scale, cuda::scale, cpu::add, cuda::add, cpu::shift, cuda::shift, cpu::set_diagonal,
      cuda::set_diagonal, cpu::get_diagonal, cuda::get_diagonal, cpu::scale_rows_and_columns,
      cuda::scale_rows_and_columns;
  const std::array<std::int64_t, 3> sizes[] = {{7, 5, 4}, {3, 3, 3}, {33, 1, 1}, {130, 3, 3}};
  for (const auto& extents : sizes)
    for (const bool wraps : {false, true})
      for (const int dof : {1, 2, 5}) {
        if (extents[1] < 3 && wraps) continue;  // two offsets would lead to one node
        SCOPED_TRACE(std::to_string(extents[0]) + " " + std::to_string(wraps) + " " + std::to_string(dof));
        const BlockDiagonals<double> a = star(extents, {wraps, false, wraps}, dof);
        const Array<double> u = random_array(a.rows(), 4);
        Array<double> v = random_array(a.rows(), 5);
        const Array<double> w = copy_of(v);
        const double infinity = std::numeric_limits<double>::infinity();
        expect_change(
            space, a, u, v, "scale", [](auto& m, auto*, auto*) { scale(-1.75, m.values); },
            [](auto, auto, double x) { return x * -1.75; });
        expect_change(
            space, a, u, v, "add", [](auto& m, auto*, auto*) { add(0.5, m.values, m.values); },
            [](auto, auto, double x) { return x + 0.5 * x; });
        expect_change(
            space, a, u, v, "shift", [](auto& m, auto*, auto*) { shift(0.3, m); },
            [](auto row, auto column, double x) { return row == column ? x + 0.3 : x; });
        for (const bool adds : {false, true})
          expect_change(
              space, a, u, v, "set diagonal", [=](auto& m, auto* d, auto*) { set_diagonal(d, adds, m); },
              [&](auto row, auto column, double x) {
                return row != column ? x : adds ? x + u[row] : u[row];
              });
        expect_change(
            space, a, u, v, "rows and columns",
            [](auto& m, auto* l, auto* r) {
              scale_rows_and_columns({l, r}, m);
            },
            [&](auto row, auto column, double x) { return (x * u[row]) * w[column]; });
        expect_change(
            space, a, u, v, "rows",
            [](auto& m, auto* l, auto*) {
              scale_rows_and_columns({l, nullptr}, m);
            },
            [&](auto row, auto, double x) { return x * u[row]; });
        Array<double> infinite(a.rows(), infinity);  // where there is no neighbour, 0 stays 0
        expect_change(
            space, a, u, infinite, "columns",
            [](auto& m, auto*, auto* r) {
              scale_rows_and_columns({nullptr, r}, m);
            },
            [&](auto, auto, double x) { return x * infinity; });
        Array<double> diagonal(a.rows(), nan), expected(a.rows(), nan);
        changed(space, a, u, diagonal, [](auto& m, auto*, auto* d) { get_diagonal(m, d); });
        for_entries(a, [&](std::int64_t row, std::int64_t column, std::int64_t place) {
          if (row == column) expected[row] = a.values[place];
        });
        expect_equal(diagonal, expected, "diagonal");
      }
}
TEST(ValueChanges, AreThoseOfEveryEntry) {
  change_operators(SpaceKind::cpu);
}
TEST(ValueChanges, cuda_AreThoseOfEveryEntry) {
  change_operators(SpaceKind::cuda);
}

// Row r of a block of `a` is unknown rows[r] of it in `all`, and its columns likewise.
template <class Space, class Take>
void take_some_unknowns(const Take& take) {
  constexpr int none = UnknownsOfBlocks::no_unknown;
  for (const UnknownsOfBlocks& unknowns : {UnknownsOfBlocks{{1, 3}, {1, 3}}, UnknownsOfBlocks{{2}, {0}},
                                           UnknownsOfBlocks{{3, 0, 2}, {1, none, none}},
                                           UnknownsOfBlocks{{4, none, none, none, none}, {4, 3, 2, 1, 0}}}) {
    const BlockDiagonals<double> all = star({7, 5, 4}, {true, false, false}, 5);
    BlockDiagonals<double> some;
    static_cast<BlockStructure&>(some) = with_unknowns(all, unknowns);
    const std::int64_t dof = some.dof;
    ASSERT_EQ(dof, unknowns.dof());
    some.values = Array<double>(some.diagonals() * dof * some.rows(), nan);
    const BlockDiagonals<double, Space> there = copy_to<Space>(all);
    BlockDiagonals<double, Space> taken = copy_to<Space>(some);
    take(there, unknowns, taken);
    Array<double> expected(some.values.size(), 0.0);
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      const std::int64_t row = i % some.rows(), k = i / some.rows(), d = k / dof;
      const int r = unknowns.rows[static_cast<std::size_t>(row % dof)],
                c = unknowns.columns[static_cast<std::size_t>(k % dof)];
      if (r != none && c != none) expected[i] = all.values[(d * 5 + c) * all.rows() + row / dof * 5 + r];
    }
    expect_equal(copy_to<Host>(taken.values), expected, "some unknowns");
    some.values = std::move(expected);
    validate(some);  // what its fill leaves out is zero
  }
}
TEST(ValueChanges, OfSomeUnknowns) {
  take_some_unknowns<Host>(
      [](const auto& all, const auto& unknowns, auto& some) { cpu::take_unknowns(all, unknowns, some); });
}
TEST(ValueChanges, cuda_OfSomeUnknowns) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  take_some_unknowns<Device>(
      [](const auto& all, const auto& unknowns, auto& some) { cuda::take_unknowns(all, unknowns, some); });
}

// Rows 4, 0 and 2 of an operator, with 3 columns; the second has no entries.
template <class Space, class Scale>
Array<double> scaled_rows(const Scale& scale) {
  const Csr<double> host{3, 3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
  auto a = copy_to<Space>(host);
  const auto row_of = copy_to<Space>(Array<std::int32_t>{4, 0, 2});
  const auto left = copy_to<Space>(Array<double>{nan, nan, 10, nan, 100}),
             right = copy_to<Space>(Array<double>{3, 5, 7});
  scale({left.data(), right.data()}, row_of, a);
  scale({nullptr, right.data()}, row_of, a);
  return copy_to<Host>(a.value);
}
TEST(ValueChanges, OfSomeRows) {
  const auto scale = [](const TwoDiagonals& by, const Array<std::int32_t>& rows, Csr<double>& a) {
    cpu::scale_rows_and_columns(by, rows, a);
  };
  expect_equal(scaled_rows<Host>(scale), {900, 9800, 750}, "rows of a CSR");
}
TEST(ValueChanges, cuda_OfSomeRows) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const auto scale = [](const TwoDiagonals& by, const Array<std::int32_t, Device>& rows,
                        Csr<double, Device>& a) { cuda::scale_rows_and_columns(by, rows, a); };
  expect_equal(scaled_rows<Device>(scale), {900, 9800, 750}, "rows of a CSR");
}

TEST(ValueChanges, NeedTheDiagonal) {
  BlockDiagonals<double> a;
  a.extents = {4, 1, 1};
  a.offsets = {{1, 0, 0}};
  a.values = Array<double>(4, 1.0);
  EXPECT_THROW(cpu::shift(1, a), FormatError);
}

}  // namespace
}  // namespace quadrille
