// Levels that leave out what blocks have of zeros (kernels/multigrid/entry_rows.hpp).
#include "cases.hpp"
#include "kernels/multigrid/entry_rows.hpp"
#include "kernels/multigrid/on_host.hpp"

namespace quadrille::multigrid_test {
namespace {

using namespace multigrid;

enum class Symmetric { yes, but_for_one_bit, no };

double integer(std::int64_t from, std::int64_t on) {
  std::uint64_t bits =
      static_cast<std::uint64_t>(from) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(on);
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9U;
  return static_cast<double>(bits >> 33 & 15) - 8;
}

// Small integers where `couples(offset, r, c)`, zero elsewhere.
template <class Couples>
Hub sparse_blocks(std::array<std::int64_t, 3> extents, int dof, std::array<bool, 3> periodic, bool box,
                  Symmetric symmetric, const Couples& couples) {
  Hub a;
  a.extents = extents;
  a.periodic = periodic;
  a.dof = dof;
  for (int z = extents[2] > 1 ? -1 : 0; z <= (extents[2] > 1 ? 1 : 0); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (box || x * x + y * y + z * z <= 1) a.offsets.push_back({x, y, z});
  a.values = Array<double>(a.diagonals() * a.dof * a.rows());
  std::fill_n(a.values.data(), a.values.size(), 0.0);
  for (std::int64_t z = 0, node = 0; z < extents[2]; ++z)
    for (std::int64_t y = 0; y < extents[1]; ++y)
      for (std::int64_t x = 0; x < extents[0]; ++x, ++node)
        for (std::int64_t d = 0; d < a.diagonals(); ++d) {
          const std::int64_t to = a.neighbour(x, y, z, a.offsets[d]);
          const bool own = a.offsets[d] == NodeOffset{};
          for (int r = 0; r < dof && to >= 0; ++r)
            for (int c = 0; c < dof; ++c) {
              std::int64_t from = node * dof + r, on = to * dof + c;
              if (symmetric != Symmetric::no && on < from) std::swap(from, on);
              const double value = integer(from, on);
              if (own ? r == c : couples(a.offsets[d], r, c))
                entry(a, d, c, node * dof + r) = own ? 4096 : value;
            }
        }
  return a;
}
// As those of an elastic body do; a fourth unknown with its own kind alone.
bool couples_as_elastic(const NodeOffset& o, int r, int c) {
  const int along[3] = {o.x, o.y, o.z};
  const int axes = std::abs(o.x) + std::abs(o.y) + std::abs(o.z);
  if (axes == 1) return r == c;
  return axes == 2 && r != c && r < 3 && c < 3 && along[r] != 0 && along[c] != 0;
}

struct Case {
  std::array<std::int64_t, 3> extents;
  int dof;
  std::array<bool, 3> periodic;
};
const std::vector<Case> cases = {
    {{19, 17, 1}, 2, {false, false, false}}, {{40, 5, 1}, 2, {true, false, false}},
    {{11, 9, 7}, 3, {false, false, false}},  {{8, 9, 5}, 3, {true, true, true}},
    {{9, 7, 6}, 4, {false, true, false}},    {{3, 70, 4}, 3, {false, false, true}},
    {{5, 4, 60}, 4, {true, false, false}},   {{2, 30, 3}, 2, {false, false, false}}};

using Rows = RowsByEntries<float, 1>;

// Of all rows, D^-1 being the identity, what the operator says of x beside the diagonal.
std::vector<float> sums_beside(const Hub& a, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  for (std::int64_t z = 0, node = 0; z < a.extents[2]; ++z)
    for (std::int64_t j = 0; j < a.extents[1]; ++j)
      for (std::int64_t i = 0; i < a.extents[0]; ++i, ++node)
        for (std::int64_t d = 0; d < a.diagonals(); ++d) {
          const std::int64_t to = a.neighbour(i, j, z, a.offsets[d]);
          for (int k = 0; k < a.dof * a.dof && to >= 0 && a.offsets[d] != NodeOffset{}; ++k)
            y[node * a.dof + k % a.dof] +=
                static_cast<float>(a.values[(d * a.dof + k / a.dof) * a.rows() + node * a.dof + k % a.dof]) *
                x[to * a.dof + k / a.dof];
        }
  return y;
}
template <int Kinds>
std::vector<float> sums_by_nodes(const Couplings& s, const EntryTable<float>& table,
                                 const std::vector<float>& x) {
  const RowsByEntries<float, Kinds> rows{{s, nullptr, nullptr}, table};
  std::vector<float> y(x.size());
  for (int node = 0; node < s.nodes; ++node)
    for (int r = 0; r < s.dof; r += Kinds) {
      float sums[Kinds];
      rows.own_sums(x.data(), rows.node_at(s.position(node)), r, sums);
      std::copy(sums, sums + Kinds, y.begin() + node * s.dof + r);
    }
  return y;
}

TEST(EntryRows, GiveTheSumsOfTheOperator) {
  OnHost host;
  for (const Case& c : cases)
    for (const Symmetric symmetric : {Symmetric::yes, Symmetric::but_for_one_bit, Symmetric::no})
      for (const bool box : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << c.extents[0] << "x" << c.extents[1] << "x" << c.extents[2] << " dof " << c.dof
                     << " symmetric " << static_cast<int>(symmetric) << (box ? " box" : " star"));
        Hub a = sparse_blocks(c.extents, c.dof, c.periodic, box, symmetric, couples_as_elastic);
        const Couplings s = couplings_of(a);
        if (symmetric == Symmetric::but_for_one_bit) {
          const auto back = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{0, -1, 0});
          double& one = entry(a, back - a.offsets.begin(), 0, a.rows() - c.dof);  // of the last node
          one = std::nextafter(one, 100);
        }
        const EntryRows<float, Host> rows = entry_rows<float>(host, a, s);
        const bool saves = box || c.dof > 2 || c.extents[2] > 1 || symmetric != Symmetric::no;
        ASSERT_EQ(rows.there(), saves);
        if (!saves) continue;
        const int entries = rows.table.first[c.dof];
        EXPECT_EQ(symmetric == Symmetric::yes, 2 * rows.count == entries);
        EXPECT_EQ(symmetric == Symmetric::no, rows.count == entries);
        std::vector<float> x(static_cast<std::size_t>(a.rows()));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 13) - 6;
        const std::vector<float> wanted = sums_beside(a, x);
        EXPECT_EQ(sums_by_nodes<1>(s, rows.table, x), wanted);
        with_kinds_together(c.dof,
                            [&](auto kinds) { EXPECT_EQ(sums_by_nodes<kinds()>(s, rows.table, x), wanted); });

        // Steps by lines and by nodes, and the bound; D^-1 is the identity.
        std::vector<float> identity(static_cast<std::size_t>(a.rows() * c.dof)), g(x.rbegin(), x.rend());
        for (std::int64_t row = 0; row < a.rows(); ++row) identity[row % c.dof * a.rows() + row] = 1;
        const Rows by_entries{{s, nullptr, identity.data()}, rows.table};
        std::vector<float> of_lines(x.size(), -1), of_nodes = of_lines;
        Sweep<Rows, float> sweep{by_entries, g.data(), x.data(), of_lines.data(), 0.5F, false};
        for_lines(sweep);
        sweep.y = of_nodes.data();
        for (int node = 0; node < s.nodes; ++node) do_node(sweep, node);
        EXPECT_EQ(of_lines, of_nodes);
        for (std::size_t i = 0; i < x.size(); ++i)
          EXPECT_EQ(of_lines[i], x[i] + 0.5F * (g[i] - x[i] - wanted[i]));
        ResidualByKind<Rows> residual{by_entries, g.data(), x.data(), identity.data(), of_lines.data()};
        for_lines(residual);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(of_lines[i], g[i] - x[i] - wanted[i]);
        double bound = 0, largest = 0;
        const BoundOfEntries<float> bound_of{by_entries};
        for (int node = 0; node < s.nodes; ++node) bound = std::max(bound, bound_of(node));
        for (std::int64_t row = 0; row < a.rows(); ++row) {
          double sum = 1;
          for (std::int64_t k = 0; k < a.diagonals() * c.dof; ++k)
            if (k / c.dof != s.centre) sum += std::abs(a.values[k * a.rows() + row]);
          largest = std::max(largest, sum);
        }
        EXPECT_NEAR(bound, largest, 1e-6 * largest);
      }
}

TEST(EntryRows, AreNoneWhereTheySaveLittle) {
  OnHost host;
  const auto made = [&](int dof, const auto& couples) {
    const Hub a = sparse_blocks({12, 11, 10}, dof, {false, false, false}, true, Symmetric::no, couples);
    return entry_rows<float>(host, a, couplings_of(a)).count;
  };
  const auto all = [](const NodeOffset&, int, int) { return true; };
  const auto own = [](const NodeOffset&, int r, int c) { return r == c; };
  EXPECT_EQ(made(3, all), 0);
  EXPECT_EQ(made(2, own), 52);
  EXPECT_EQ(made(4, own), 104);
  EXPECT_EQ(made(1, all), 0);
  EXPECT_EQ(made(5, own), 0);
  EXPECT_EQ(made(4, [](const NodeOffset&, int r, int c) { return r < 2 && c < 2; }), 104);
}

// The operator of an elastic body whose unknowns have units that differ from node to node.
Hub varying_elastic(const Grid& grid, const std::string& sides) {
  Hub a = elastic(grid, sides);
  const auto unit = [](std::int64_t row) { return 1 + 0.05 * std::sin(0.1 * static_cast<double>(row)); };
  for (std::int64_t z = 0, node = 0; z < a.extents[2]; ++z)
    for (std::int64_t y = 0; y < a.extents[1]; ++y)
      for (std::int64_t x = 0; x < a.extents[0]; ++x, ++node)
        for (std::int64_t d = 0; d < a.diagonals(); ++d)
          for (int k = 0; k < a.dof * a.dof; ++k) {
            const std::int64_t to = a.neighbour(x, y, z, a.offsets[d]);
            if (to >= 0)
              entry(a, d, k / a.dof, node * a.dof + k % a.dof) *=
                  unit(node * a.dof + k % a.dof) * unit(to * a.dof + k / a.dof);
          }
  return a;
}

// M is what it is with all of the blocks, to rounding, and needs less memory.
void compare_cycles(const Hub& a, CyclePrecision precision, SpaceKind space) {
  GridMultigridOptions with = in(precision), without = with;
  with.coarsest = without.coarsest = 200;
  with.entries_from = 0;
  without.entries_from = std::numeric_limits<std::int64_t>::max();
  Cycle m(a, with, space), dense(a, without, space);
  EXPECT_GT(m.info().levels[0].columns, 0);
  EXPECT_EQ(dense.info().levels[0].columns, 0);
  EXPECT_EQ(m.info().levels[1].columns, 0);
  EXPECT_NEAR(m.info().levels[0].largest_eigenvalue, dense.info().levels[0].largest_eigenvalue,
              1e-3 * dense.info().levels[0].largest_eigenvalue);
  const Vector b = noise(a.rows(), 1);
  EXPECT_LE(distance(m(b), dense(b)), 2e-3);  // eigenvalues are found in other orders
  EXPECT_LT(m.info().cycle_bytes, dense.info().cycle_bytes * 3 / 4);
  EXPECT_LT(m.info().stored_bytes, dense.info().stored_bytes);
  EXPECT_EQ(cg_iterations(a, m), cg_iterations(a, dense));
  const Vector before = m(b);
  m.set_up_again(a, with);
  EXPECT_EQ(m.info().allocated, 0);
  EXPECT_EQ(m(b), before);
}
const std::vector<std::pair<Grid, const char*>> bodies = {
    {grid_of({37, 42, 1}, {1, 1, 1}, 2), "value:0"},
    {grid_of({14, 17, 15}, {1, 1, 1}, 3), "value:0,value:0,periodic,periodic,value:0,value:0"},
    {grid_of({18, 16, 17}, {1, 1, 0.5}, 3), "value:0"}};

TEST(EntryRows, LeaveTheCycleAsItIs) {
  for (const auto& [grid, sides] : bodies)
    for (const CyclePrecision precision : {CyclePrecision::fp32, CyclePrecision::fp64})
      compare_cycles(varying_elastic(grid, sides), precision, SpaceKind::cpu);
}
TEST(EntryRows, LeaveTheCycleAsItIs_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const auto& [grid, sides] : bodies)
    for (const CyclePrecision precision : {CyclePrecision::fp32, CyclePrecision::fp64}) {
      const Hub a = varying_elastic(grid, sides);
      compare_cycles(a, precision, SpaceKind::cuda);
      GridMultigridOptions options = in(precision);
      options.entries_from = 0;
      options.coarsest = 200;
      Cycle host(a, options), device(a, options, SpaceKind::cuda);
      const Vector b = noise(a.rows(), 2);
      EXPECT_LE(distance(device(b), host(b)), precision == CyclePrecision::fp32 ? 1e-4 : 1e-10);
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
