// Operators of which few rows are all, against their block diagonals.
#include "formats/few_rows.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "formats/compact.hpp"
#include "formats/diagonal_blocks.hpp"

namespace quadrille {
namespace {

enum class Kind { constant, symmetric, anything, nearly_symmetric };

// Numbers that are the same at all nodes, or drawn for each stored node, and nothing where there is no
// neighbour.
FewRows drawn(const BlockStructure& structure, Kind kind, std::mt19937& random) {
  FewRows rows = few_rows_of(structure);
  std::uniform_int_distribution<int> number(1, 9);
  const std::int64_t nodes = rows.stored_nodes(), dof = structure.dof;
  rows.a.values = Array<double>(structure.diagonals() * dof * dof * nodes, 0.0);
  std::vector<double> same(static_cast<std::size_t>(structure.diagonals() * dof * dof));
  for (double& value : same) value = number(random);
  const auto entry = [&](std::int64_t d, std::int64_t r, std::int64_t c) -> double& {
    return same[static_cast<std::size_t>((d * dof + r) * dof + c)];
  };
  for (std::int64_t d = 0; d < structure.diagonals() && kind != Kind::anything; ++d)
    for (std::int64_t r = 0; r < dof; ++r)
      for (std::int64_t c = 0; c < dof; ++c)
        if (const std::int64_t back = opposite(structure, d); back >= 0) entry(back, c, r) = entry(d, r, c);
  if (kind == Kind::nearly_symmetric) entry(0, 0, 0) = std::nextafter(entry(0, 0, 0), 100);
  for (std::int64_t i = 0; i < nodes; ++i) {
    std::array<int, 3> at{};
    if (rows.stored.all)
      at = {static_cast<int>(i % structure.extents[0]),
            static_cast<int>(i / structure.extents[0] % structure.extents[1]),
            static_cast<int>(i / structure.extents[0] / structure.extents[1])};
    else
      at = rows.stored.position(static_cast<int>(i));
    for (std::int64_t d = 0; d < structure.diagonals(); ++d) {
      const bool centre = structure.offsets[d] == NodeOffset{};
      if (structure.neighbour(at[0], at[1], at[2], structure.offsets[d]) < 0) continue;
      for (std::int64_t r = 0; r < dof; ++r)
        for (std::int64_t c = 0; c < dof; ++c) {
          const bool by_node = kind == Kind::anything || (kind != Kind::constant && centre && r == c);
          rows.a.values[((d * dof + c) * nodes + i) * dof + r] = by_node ? number(random) : entry(d, r, c);
        }
    }
  }
  return rows;
}

std::vector<BlockStructure> structures() {
  std::vector<BlockStructure> all;
  for (const std::array<std::int64_t, 3> n :
       {std::array<std::int64_t, 3>{9, 12, 7}, {6, 5, 8}, {13, 1, 1}, {20, 6, 1}, {3, 4, 2}, {2, 9, 1}})
    for (const int wraps : {0, 1, 6, 7})
      for (const int dof : {1, 3}) {
        BlockStructure s;
        s.extents = n;
        s.dof = dof;
        for (int axis = 0; axis < 3; ++axis) s.periodic[axis] = (wraps >> axis & 1) != 0 && n[axis] > 2;
        for (const NodeOffset o : {NodeOffset{0, 0, -1},
                                   {0, -1, 0},
                                   {-1, 0, 0},
                                   {0, 0, 0},
                                   {1, 0, 0},
                                   {0, 1, 0},
                                   {0, 0, 1},
                                   {1, 1, 0},
                                   {-1, -1, 0}})
          if ((o.x == 0 || n[0] > 1) && (o.y == 0 || n[1] > 1) && (o.z == 0 || n[2] > 1))
            s.offsets.push_back(o);
        all.push_back(s);
      }
  return all;
}

BlockDiagonals<double> all_rows(const FewRows& rows) {
  BlockDiagonals<double> hub;
  static_cast<BlockStructure&>(hub) = rows.a;
  hub.values = Array<double>(hub.diagonals() * hub.dof * hub.rows());
  repeat_rows(rows, hub.values.data());
  return hub;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(FewRows, AreThoseOfTheNodesThatTheyStandFor) {
  std::mt19937 random(1);
  for (const BlockStructure& s : structures()) {
    const FewRows rows = drawn(s, Kind::anything, random);
    const BlockDiagonals<double> hub = all_rows(rows);
    validate(hub);
    std::int64_t others = 0;
    const std::int64_t stored_rows = rows.stored_nodes() * s.dof;
    for (std::int64_t k = 0; k < s.diagonals() * s.dof; ++k)
      for (std::int64_t row = 0; row < hub.rows(); ++row) {
        const std::int64_t node = row / s.dof, line = node / s.extents[0];
        const int at[3] = {static_cast<int>(node % s.extents[0]), static_cast<int>(line % s.extents[1]),
                           static_cast<int>(line / s.extents[1])};
        std::int64_t place = 0;
        for (int axis = 2; axis >= 0; --axis) place = place * rows.nodes(axis) + rows.along(axis, at[axis]);
        others +=
            hub.values[k * hub.rows() + row] != rows.a.values[k * stored_rows + place * s.dof + row % s.dof];
      }
    EXPECT_EQ(others, 0);
    if (s.extents[0] > 8) EXPECT_LT(rows.a.values.size(), hub.values.size());
  }
}

TEST(FewRows, OfABoxAreThoseOfItsNodes) {
  std::mt19937 random(6);
  for (const BlockStructure& s : structures()) {
    const FewRows rows = drawn(s, Kind::anything, random);
    const BlockDiagonals<double> hub = all_rows(rows);
    std::array<std::int64_t, 3> first{}, size{};
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = s.extents[axis] / 3;
      size[axis] = std::max<std::int64_t>(1, s.extents[axis] / 2);
    }
    const std::int64_t box_rows = size[0] * size[1] * size[2] * s.dof, columns = s.diagonals() * s.dof;
    std::vector<double> values(static_cast<std::size_t>(columns * box_rows));
    repeat_rows(rows, first, size, values.data());
    std::int64_t others = 0;
    for (std::int64_t k = 0; k < columns; ++k)
      for (std::int64_t row = 0; row < box_rows; ++row) {
        const std::int64_t node = row / s.dof, line = node / size[0],
                           whole = ((first[2] + line / size[1]) * s.extents[1] + first[1] + line % size[1]) *
                                       s.extents[0] +
                                   first[0] + node % size[0];
        others += values[k * box_rows + row] != hub.values[k * hub.rows() + whole * s.dof + row % s.dof];
      }
    EXPECT_EQ(others, 0);
  }
}

TEST(FewRows, AreTheSameByWayOfASmallGrid) {
  std::mt19937 random(5);
  for (const BlockStructure& s : structures()) {
    const FewRows rows = drawn(s, Kind::anything, random);
    const BlockDiagonals<double> small = on_small_grid(rows);
    EXPECT_EQ(small.extents, small_extents(rows));
    FewRows back = few_rows_of(s);
    take_from_small_grid(small.values.data(), back);
    EXPECT_TRUE(
        std::equal(back.a.values.begin(), back.a.values.end(), rows.a.values.begin(), rows.a.values.end()));
  }
}

TEST(FewRows, TellByHowMuchOthersDiffer) {
  std::mt19937 random(2);
  const FewRows rows = drawn(structures().front(), Kind::anything, random);
  BlockDiagonals<double> hub = all_rows(rows);
  double* const values = hub.values.data();
  EXPECT_EQ(largest_difference(rows, values), 0);
  for (const std::int64_t i : {std::int64_t{0}, hub.values.size() / 2 + 1, hub.values.size() - 1}) {
    const double before = values[i];
    values[i] -= 0.25;
    EXPECT_EQ(largest_difference(rows, values), 0.25) << i;
    values[i] = std::nan("");
    EXPECT_EQ(largest_difference(rows, values), std::numeric_limits<double>::infinity()) << i;
    values[i] = before;
  }
}

TEST(FewRows, GiveTheCompactFormOfAllRows) {
  std::mt19937 random(3);
  for (const BlockStructure& s : structures())
    for (const Kind kind : {Kind::constant, Kind::symmetric, Kind::anything, Kind::nearly_symmetric}) {
      SCOPED_TRACE(std::to_string(s.extents[0]) + " x " + std::to_string(s.extents[1]) + " x " +
                   std::to_string(s.extents[2]) + ", dof " + std::to_string(s.dof) + ", kind " +
                   std::to_string(static_cast<int>(kind)));
      const FewRows rows = drawn(s, kind, random);
      const BlockDiagonals<double> hub = all_rows(rows);
      const auto found = compact_entries(rows), expected = compact_entries(hub);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t e = 0; e < found.size(); ++e) {
        EXPECT_EQ(found[e].stored, expected[e].stored) << e;
        EXPECT_EQ(found[e].column, expected[e].column) << e;
        EXPECT_TRUE(same_bits(found[e].constant, expected[e].constant)) << e;
      }
      const Compact<double> compact = compact_from_few_rows(rows, found);
      validate(compact);
      const Compact<double> of_hub = compact_from_hub(hub);
      ASSERT_EQ(compact.values.size(), of_hub.values.size());
      EXPECT_TRUE(std::equal(compact.values.begin(), compact.values.end(), of_hub.values.begin(), same_bits));
      for (const int size : {1, s.dof}) {
        const Array<double> blocks = diagonal_blocks(compact, size), of_all = diagonal_blocks(hub, size);
        EXPECT_TRUE(std::equal(blocks.begin(), blocks.end(), of_all.begin(), of_all.end(), same_bits));
      }
    }
}

}  // namespace
}  // namespace quadrille
