// Steps that are done by lines of nodes give what they give a row at a time, whichever rows are stored.
#include "kernels/multigrid/on_lines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/multigrid/by_kind_steps.hpp"
#include "kernels/multigrid/cycle_steps.hpp"
#include "kernels/multigrid/transfer_tables.hpp"
#include "tests/sanitized.hpp"

namespace quadrille {
namespace {

using namespace multigrid;

struct Case {
  std::array<std::int64_t, 3> extents;
  int dof, faces;  // a bit of `faces` for each axis that wraps
  bool box;
  LineWords words;  // of the rows that are stored; with `all` none
  bool all;
};

std::string name_of(const Case& c) {
  const auto& n = c.extents;
  return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]) + " dof " +
         std::to_string(c.dof) + (c.box ? " box" : " star") + " wraps " + std::to_string(c.faces) +
         (c.all ? " all" : " few") + " words " + std::to_string(static_cast<int>(c.words));
}

// Small integers, so that sums are exact in any order.
float number(std::int64_t i) {
  return static_cast<float>(i * 7919 % 13) - 6;
}
std::vector<float> numbers(std::int64_t size, int first) {
  std::vector<float> all(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) all[i] = number(3 * i + first);
  return all;
}

Couplings couplings_of(const Case& c) {
  BlockStructure a;
  a.extents = c.extents;
  a.dof = c.dof;
  for (int axis = 0; axis < 3; ++axis) a.periodic[axis] = (c.faces >> axis & 1) != 0;
  const int reach[2] = {c.extents[1] > 1 ? 1 : 0, c.extents[2] > 1 ? 1 : 0};
  for (int z = -reach[1]; z <= reach[1]; ++z)
    for (int y = -reach[0]; y <= reach[0]; ++y)
      for (int x = -1; x <= 1; ++x)
        if (c.box || x * x + y * y + z * z <= 1) a.offsets.push_back({x, y, z});
  const Couplings s = multigrid::couplings_of(a);
  return c.all ? s : multigrid::couplings_of(a, nullptr, few_nodes(s.n, s.wraps, c.words));
}

// Of so many columns a coupling; what leads out of the grid is zero. Nodes of a period are alike, or not.
std::vector<float> values_of(const Couplings& s, int columns, bool alike) {
  std::vector<float> a(static_cast<std::size_t>(s.count * columns * s.stored_rows));
  for (int d = 0; d < s.count; ++d)
    for (int c = 0; c < columns; ++c)
      for (int node = 0; node < s.stored_nodes(); ++node)
        for (int r = 0; r < s.dof; ++r) {
          const bool there = s.leads_inside(s.stored_position(node), d);
          const int x = s.stored.all ? 0 : node % s.stored.n[0], inside = x - s.stored.low[0],
                    of_period =
                        alike && !s.stored.all && inside >= 0 && inside < s.stored.period[0] ? inside : 0;
          const std::int64_t row = std::int64_t{node} * s.dof + r;
          a[(d * columns + c) * s.stored_rows + row] =
              there ? number(row - of_period * s.dof + 11 * d + 5 * c) : 0;
        }
  return a;
}

struct Vectors {
  std::vector<float> x, g;
  explicit Vectors(const Couplings& s) : x(numbers(s.rows, 5)), g(numbers(s.rows, 2)) {}
};

template <class Step, class Out>
void expect_alike(Step step, std::vector<Out>& of_rows, Out* Step::*to) {
  std::vector<Out> of_lines = of_rows;
  step.*to = of_rows.data();
  for (int i = 0; i < step.s.rows; ++i)
    if constexpr (!Step::by_nodes) step(i);
  if constexpr (Step::by_nodes)
    for (int node = 0; node < step.s.nodes; ++node) do_node(step, node);
  step.*to = of_lines.data();
  for_lines(step);
  EXPECT_EQ(of_rows, of_lines);
}

template <class Stencil>
void compare_steps(const Couplings& s, const Stencil& stencil, const std::vector<float>& diagonal) {
  const Vectors v(s);
  std::vector<float> y(v.x.size(), -1);
  expect_alike(FirstTwoSweeps<Stencil>{stencil, v.g.data(), nullptr, 0.5F, 0.25F}, y,
               &FirstTwoSweeps<Stencil>::x);
  expect_alike(Sweep<Stencil, float>{stencil, v.g.data(), v.x.data(), nullptr, 0.5F, false}, y,
               &Sweep<Stencil, float>::y);
  if constexpr (Stencil::by_nodes)
    expect_alike(ResidualByKind<Stencil>{stencil, v.g.data(), v.x.data(), diagonal.data(), nullptr}, y,
                 &ResidualByKind<Stencil>::r);
  else
    expect_alike(
        Residual<Stencil>{stencil, v.g.data(), v.x.data(), s.dof == 1 ? diagonal.data() : nullptr, nullptr},
        y, &Residual<Stencil>::r);
  std::vector<double> user(static_cast<std::size_t>(s.unknowns()), -1);
  expect_alike(Sweep<Stencil, double>{stencil, v.g.data(), v.x.data(), nullptr, 0.5F, s.padded()}, user,
               &Sweep<Stencil, double>::y);
}

// Kinds that are done together, against each by itself.
template <int Kinds>
void compare_kinds(const Couplings& s, const RowsByKind<float, 1>& one,
                   const RowsByKind<float, Kinds>& some) {
  const Vectors v(s);
  alignas(16) float of_node[most_multigrid_unknowns];
  for (int number = 0; number < s.nodes; ++number) {
    const auto at = some.node_at(s.position(number));
    const auto at_one = one.node_at(s.position(number));
    for (int kind = 0; kind < s.dof; kind += Kinds) {
      float sums[Kinds], sum[1];
      some.own_sums(v.x.data(), at, kind, sums);
      for (int k = 0; k < Kinds; ++k) {
        one.own_sums(v.x.data(), at_one, kind + k, sum);
        EXPECT_EQ(sums[k], sum[0]);
        of_node[kind + k] = sums[k];
      }
    }
    for (int kind = 0; kind < s.dof; kind += Kinds) {
      float sums[Kinds], sum[1];
      some.times(some.inverse, of_node, at, kind, sums);
      for (int k = 0; k < Kinds; ++k) {
        one.times(one.inverse, of_node, at_one, kind + k, sum);
        EXPECT_EQ(sums[k], sum[0]);
      }
    }
  }
}

void compare(const Case& c) {
  SCOPED_TRACE(name_of(c));
  const Couplings s = couplings_of(c);
  ASSERT_EQ(s.stored.all, c.all) << "the grid is too small for few rows";
  const std::vector<float> blocks = numbers(s.stored_rows * s.dof, 7);
  for (const bool alike : {true, false}) {
    const std::vector<float> a = values_of(s, s.dof, alike);
    if (c.all)
      compare_steps(s, StencilRows<float, 1, 0, 0, true>{s, a.data()}, blocks);
    else
      compare_steps(s, StencilRows<float, 1, 0, 0, false>{s, a.data()}, blocks);
    if (c.dof < 3) continue;
    const std::vector<float> of_kind = values_of(s, 1, alike);
    compare_steps(s, RowsByKind<float, 1>{s, of_kind.data(), blocks.data()}, blocks);
    with_kinds_together(c.dof, [&](auto kinds) {
      compare_kinds(s, RowsByKind<float, 1>{s, of_kind.data(), blocks.data()},
                    RowsByKind<float, kinds()>{s, of_kind.data(), blocks.data()});
    });
  }
  const std::vector<float> x = numbers(s.unknowns(), 4);
  std::vector<float> by_rows(static_cast<std::size_t>(s.rows)), by_lines = by_rows;
  if (s.dof > 1)
    with_kinds_together(s.dof, [&](auto kinds) {
      for (int i = 0; i < s.rows / kinds(); ++i)
        MultiplyBlocks<float, float, kinds()>{s, blocks.data(), x.data(), by_rows.data()}(i);
    });
  for (int row = 0; row < s.rows && s.dof == 1; ++row)
    if (c.all)
      MultiplyDiagonal<float, float, 1, true>{s, blocks.data(), x.data(), by_rows.data(), s.padded()}(row);
    else
      MultiplyDiagonal<float, float, 1, false>{s, blocks.data(), x.data(), by_rows.data(), s.padded()}(row);
  multiply_blocks_on_lines(s, blocks.data(), x.data(), s.n[0], by_lines.data());
  EXPECT_EQ(by_rows, by_lines);
}

TEST(StepsOnLines, GiveWhatRowsDo) {
  for (int faces = 0; faces < 8; ++faces)
    for (const bool box : {false, true})
      for (const int dof : {1, 2, 3, 4, 5})
        for (const bool all : {false, true}) {
          if (sanitized && faces % 3 != dof % 3) continue;
          compare({{14, 9, 10}, dof, faces, box, LineWords::none, all});
          if (faces < 4) compare({{45, 9, 1}, dof, faces, box, LineWords::none, all});
          if (faces < 2) compare({{700, 1, 1}, dof, faces, box, LineWords::none, all});
          if (dof == 1 && !all && (faces & 1) == 0) {
            compare({{39, 9, 10}, dof, faces, box, LineWords::padded, all});
            compare({{600, 3, 1}, dof, faces, box, LineWords::whole, all});
          }
        }
  compare({{3, 12, 5}, 16, 0, true, LineWords::none, false});
}

// Interpolation and restriction between a grid and every other node of it along some axes.
void compare_transfers(std::array<std::int64_t, 3> fine, int dof, std::array<bool, 3> halved, bool wraps,
                       bool by_weights) {
  std::array<AxisInterpolation, 3> axes;
  const FaceBoundary face{wraps ? BoundaryKind::periodic : BoundaryKind::value};
  for (int axis = 0; axis < 3; ++axis)
    axes[axis] = halved[axis] ? nested_interpolation(fine[axis], face, face) : same_axis(fine[axis], wraps);
  LevelTransfer<float, Host> transfer{
      std::make_shared<const TransferTables<float, Host>>(axes, dof, static_cast<int>(axes[0].fine),
                                                          static_cast<int>(axes[0].coarse)),
      {}};
  const std::int64_t fine_rows = fine[0] * fine[1] * fine[2] * dof,
                     coarse_rows = axes[0].coarse * axes[1].coarse * axes[2].coarse * dof;
  if (by_weights) {
    transfer.weights = Array<float>(8 * fine_rows);
    for (std::int64_t i = 0; i < 8 * fine_rows; ++i) transfer.weights[i] = number(i);
  }
  const Transfer<float> p = transfer.tables();
  const std::vector<float> coarse = numbers(coarse_rows, 1), of_fine = numbers(fine_rows, 2);
  std::vector<float> by_rows = of_fine, by_lines = of_fine;
  with_kinds_together(dof, [&](auto kinds) {
    for (std::int64_t i = 0; i < fine_rows / kinds(); ++i)
      if (by_weights)
        InterpolateAdd<float, 1, kinds(), true>{p, coarse.data(), by_rows.data()}(i);
      else
        InterpolateAdd<float, 1, kinds(), false>{p, coarse.data(), by_rows.data()}(i);
  });
  interpolate_add_on_lines(p, coarse.data(), by_lines.data());
  EXPECT_EQ(by_rows, by_lines);
  std::vector<float> down(static_cast<std::size_t>(coarse_rows)), down_lines = down;
  with_kinds_together(dof, [&](auto kinds) {
    for (std::int64_t i = 0; i < coarse_rows / kinds(); ++i)
      if (by_weights)
        Restrict<float, 0, kinds(), true>{p, of_fine.data(), down.data()}(i);
      else
        Restrict<float, 0, kinds(), false>{p, of_fine.data(), down.data()}(i);
  });
  restrict_on_lines(p, of_fine.data(), down_lines.data(), {});
  EXPECT_EQ(down, down_lines);
}

TEST(StepsOnLines, TransferWhatRowsDo) {
  for (int k = 1; k < 8; ++k)
    for (const int dof : {1, 2, 3, 4})
      for (const bool wraps : {false, true})
        for (const bool by_weights : {false, true}) {
          const std::array<bool, 3> halved{(k & 1) != 0, (k & 2) != 0, (k & 4) != 0};
          SCOPED_TRACE(std::to_string(k) + " dof " + std::to_string(dof) + (wraps ? " wraps" : "") +
                       (by_weights ? " by weights" : ""));
          compare_transfers({12, 9, 7}, dof, halved, wraps, by_weights);
          compare_transfers({9, 8, 10}, dof, halved, wraps, by_weights);
        }
}

}  // namespace
}  // namespace quadrille
