#include "formats/compact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "expect_refused.hpp"
#include "formats/csc.hpp"
#include "tests/matrices.hpp"
#include "tests/planted.hpp"

namespace quadrille {
namespace {

using planted::Kind;

template <class T>
std::vector<Stored> stored(const Compact<T>& a) {
  std::vector<Stored> result;
  for (const CompactEntry<T>& e : a.entry) result.push_back(e.stored);
  return result;
}

TEST(Compact, WorkedExample) {
  const BlockDiagonals<double> hub{{{4, 1, 1}, {}, 1, {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
                                   {0, 5, 5, 7, 2, 2, 2, 2, 5, 5, 7, 0}};
  const Compact<double> a = compact_from_hub(hub);
  validate(a);
  EXPECT_EQ(stored(a), (std::vector{Stored::mirror, Stored::constant, Stored::column}));
  EXPECT_EQ(a.entry[1].constant, 2);
  EXPECT_EQ(to_vector(a.values), (std::vector<double>{5, 5, 7, 0}));
  EXPECT_TRUE(identical(to_csr(a), to_csr(hub)));
}

// Random operators with planted constants, zeros and mirrors: what was planted is found, nothing else, and
// the values come back bit by bit.
TEST(Compact, FindsWhatIsThereAndGivesEveryBitBack) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const planted::Operator<double> planted = planted::draw<double>(seed);
    const Compact<double> a = compact_from_hub(planted.hub);
    validate(a);
    EXPECT_TRUE(planted::same_bits(to_hub(a), planted.hub));
    for (std::size_t e = 0; e < a.entry.size(); ++e) {
      const Kind kind = planted.kind[e];
      if (kind == Kind::nothing) {
        EXPECT_EQ(a.entry[e].stored, Stored::nothing) << e;
      }
      if (kind == Kind::constant) {
        EXPECT_EQ(a.entry[e].stored, Stored::constant) << e;
      }
      if (kind == Kind::mirror) {
        EXPECT_EQ(a.entry[e].stored, Stored::mirror) << e;
      }
      if (kind == Kind::varies) {
        EXPECT_EQ(a.entry[e].stored, Stored::column) << e;
      }
    }
  }
}

// Two unknowns on a periodic line of 3 nodes: [row][column] of a node's block, and of what its neighbours do
// to it. The opposite's blocks are the transposed ones.
BlockDiagonals<double> pairs_on_a_line(double above, double below, double to_left, double to_right) {
  BlockDiagonals<double> hub{{{3, 1, 1}, {true, false, false}, 2, {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
                             Array<double>(36)};
  std::fill_n(hub.values.data(), hub.values.size(), 0.0);
  for (std::int64_t node = 0; node < 3; ++node) {
    const auto put = [&](int d, int r, int c, double value) {
      hub.values[(d * 2 + c) * hub.rows() + 2 * node + r] = value;
    };
    put(0, 0, 1, to_left), put(2, 1, 0, to_right);
    put(1, 0, 0, 3.0 + static_cast<double>(node)), put(1, 1, 1, 4);
    put(1, 0, 1, above), put(1, 1, 0, below);
  }
  return hub;
}

TEST(Compact, SeesWhatIsItsOwnTranspose) {
  const auto symmetric = [](const BlockDiagonals<double>& hub) {
    const Compact<double> a = compact_from_hub(hub);
    const bool yes = is_symmetric(a, a.entry);
    EXPECT_EQ(yes, identical(transposed(to_csr(a)), to_csr(a)));
    return yes;
  };
  EXPECT_TRUE(symmetric(pairs_on_a_line(7, 7, 5, 5)));
  EXPECT_FALSE(symmetric(pairs_on_a_line(7, 8, 5, 5)));
  EXPECT_FALSE(symmetric(pairs_on_a_line(7, 7, 5, 6)));
  EXPECT_FALSE(symmetric(pairs_on_a_line(7, 7, 5, 0)));
  BlockDiagonals<double> line{{{4, 1, 1}, {}, 1, {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}},
                              {0, 5, 5, 7, 2, 2, 2, 2, 5, 5, 7, 0}};
  EXPECT_TRUE(symmetric(line));
  line.values[3] = 8;
  EXPECT_FALSE(symmetric(line));
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Compact<double> a = compact_from_hub(planted::draw<double>(seed).hub);
    if (is_symmetric(a, a.entry)) {
      EXPECT_TRUE(identical(transposed(to_csr(a)), to_csr(a))) << seed;
    }
    EXPECT_FALSE(is_symmetric(a, all_columns<double>(a))) << seed;
  }
}

// One bit in one value of the last place where it could be is seen.
TEST(Compact, OneBitIsADifference) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    planted::Operator<double> planted = planted::draw<double>(seed);
    const Compact<double> before = compact_from_hub(planted.hub);
    const std::int64_t at = planted::last_value(planted.hub);
    if (at < 0) continue;
    double& value = planted.hub.values[at];
    value = std::nextafter(value, 1e300);
    const Compact<double> after = compact_from_hub(planted.hub);
    validate(after);
    EXPECT_TRUE(planted::same_bits(to_hub(after), planted.hub));
    EXPECT_FALSE(planted::same_bits(to_hub(after), to_hub(before)));
  }
}

TEST(Compact, ZerosAndNansAreWhatTheirBitsAre) {
  BlockDiagonals<double> hub{{{5, 1, 1}, {}, 1, {{0, 0, 0}}}, {-0.0, -0.0, -0.0, -0.0, -0.0}};
  EXPECT_EQ(stored(compact_from_hub(hub)), std::vector{Stored::constant});
  hub.values[2] = 0.0;
  EXPECT_EQ(stored(compact_from_hub(hub)), std::vector{Stored::column});
  EXPECT_TRUE(planted::same_bits(to_hub(compact_from_hub(hub)), hub));
  for (int i = 0; i < 5; ++i) hub.values[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stored(compact_from_hub(hub)), std::vector{Stored::constant});
}

// A symmetric star operator stores 4 of 7 columns; with constant coefficients none.
TEST(Compact, BytesAreWhatIsLeft) {
  BlockDiagonals<double> hub = planted::symmetric_star({6, 5, 4});
  EXPECT_EQ(columns_of(compact_entries(hub)), 4);
  EXPECT_EQ(traffic(compact_from_hub(hub)).stored_bytes, 4 * 120 * 8 + 7 * 16);
  for (std::int64_t i = 0; i < hub.values.size(); ++i)
    if (hub.values[i] != 0) hub.values[i] = -1;
  EXPECT_EQ(columns_of(compact_entries(hub)), 0);
}

// To the nearest, and to even between two: 1 + 2^-8 lies between 1 and 1 + 2^-7.
TEST(Compact, ValuesInFewerBitsAreRounded) {
  const auto as_bf16 = [](double value) { return static_cast<double>(rounded<Bf16>(value)); };
  EXPECT_EQ(as_bf16(1 + 0x1p-8), 1);
  EXPECT_EQ(as_bf16(1 + 0x1p-7 + 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(as_bf16(-(1 + 0x1p-8 + 0x1p-12)), -(1 + 0x1p-7));
  EXPECT_EQ(as_bf16(255), 255);
  EXPECT_EQ(as_bf16(0), 0);
  EXPECT_TRUE(std::isnan(as_bf16(std::nan(""))));
  EXPECT_EQ(as_bf16(-std::numeric_limits<double>::infinity()), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(rounds_well<Bf16>(3.4e38));
  EXPECT_TRUE(rounds_well<float>(3.4e38));
  EXPECT_FALSE(rounds_well<float>(3.5e38));
  EXPECT_FALSE(rounds_well<float>(1e-39));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const planted::Operator<double> planted = planted::draw<double>(seed);
    for (const ValuePrecision precision : {ValuePrecision::fp32, ValuePrecision::bf16}) {
      const Compact<double> a = compact_from_hub(planted.hub, all_columns<double>(planted.hub), precision);
      validate(a);
      EXPECT_EQ(traffic(a).stored_bytes,
                planted.hub.values.size() * bytes_of(precision, 8) +
                    planted.hub.diagonals() * planted.hub.dof * planted.hub.dof * 16);
      const BlockDiagonals<double> back = to_hub(a);
      for (std::int64_t i = 0; i < back.values.size(); ++i)
        ASSERT_LE(std::abs(back.values[i] - planted.hub.values[i]),
                  rounding_of(precision, 8) * std::abs(planted.hub.values[i]));
    }
  }
}

TEST(Compact, RefusesBrokenArrays) {
  const BlockDiagonals<double> hub = planted::symmetric_star({3, 3, 3});
  Compact<double> a = compact_from_hub(hub);
  a.values[26] = 1;  // the first column is that of the neighbour along x, which the last node has not
  for (CompactEntry<double>& e : a.entry)
    if (e.stored == Stored::column) a.values[e.column * 27 + 26] = 1;
  expect_refused<FormatError>([&] { validate(a); }, {"has values where there is no neighbour"});
  a = compact_from_hub(hub);
  for (CompactEntry<double>& e : a.entry)
    if (e.stored == Stored::mirror) e.column = 99;
  expect_refused<FormatError>([&] { validate(a); }, {"has no column"});
  a = compact_from_hub(hub);
  a.entry.pop_back();
  expect_refused<FormatError>([&] { validate(a); }, {"6 entries do not describe 7 blocks of 1"});
}

}  // namespace
}  // namespace quadrille
