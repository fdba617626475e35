// What the ranks assemble is the whole, bit by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "part_of_whole.hpp"
#include "tests/pde_cases.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {
namespace {

struct LinesCase {
  std::string pde, sides, stencil = "star";
  Grid grid;
  bool manufactured = false;
  int radius = 1;
  // The share of cells that let nothing through, in a field of its own; less than 0 for none.
  double barriers = -1;
};

PdeInput input_of(const LinesCase& c, const Boundary& boundary) {
  PdeInput input{3, c.manufactured, {}, {1, 2, 0.5}, {}};
  if (c.barriers < 0) return input;
  Array<double> a = log_normal_field(c.grid, 8);
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (signed_unit(counter_hash(9, i)) < 2 * c.barriers - 1) a[i] = 0;
  a[0] = 1;
  input.coefficient = std::make_shared<const CoefficientField>(
      coefficient_field(c.grid, boundary, std::move(a), "the field"));
  return input;
}

void expect_whole(const LinesCase& c, int ranks) {
  SCOPED_TRACE(c.pde + " " + to_string(c.grid) + " " + c.sides + ", " + std::to_string(ranks) + " ranks");
  const Boundary boundary = parse_boundary(c.sides, c.grid.dimension);
  const Stencil points = make_stencil(c.stencil, c.grid.dimension, c.radius);
  const PdeInput input = input_of(c, boundary);
  const PdeProblem whole = assemble_whole_pde(c.pde, c.grid, points, boundary, input);
  const BlockDiagonals<double>& hub = whole.system.hub;
  const int dof = c.grid.dof;
  std::int64_t nodes = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const NodeBox box = own_box(make_partition(c.grid.extents, {}, ranks, rank));
    const PdePart part = assemble_pde(c.pde, c.grid, points, boundary, input, box);
    EXPECT_EQ(part.singular, whole.singular);
    EXPECT_EQ(part.system.structure.offsets, hub.offsets);
    EXPECT_EQ(part.system.structure.extents, hub.extents);
    const std::int64_t rows = box.nodes() * dof;
    ASSERT_EQ(static_cast<std::int64_t>(part.system.rhs.size()), rows);
    ASSERT_EQ(static_cast<std::int64_t>(part.exact.size()), c.manufactured ? rows : 0);
    ASSERT_EQ(part.system.values.size(), hub.diagonals() * dof * rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      const NodePosition line = box.first_of_line(i / dof / box.size[0]);
      const std::int64_t node = node_index(c.grid, {line[0] + i / dof % box.size[0], line[1], line[2]});
      const std::int64_t row = node * dof + i % dof;
      ASSERT_EQ(part.system.rhs[i], whole.system.rhs[row]) << "row " << row;
      if (c.manufactured) {
        ASSERT_EQ(part.exact[i], whole.exact[row]) << "row " << row;
      }
      for (std::int64_t column = 0; column < hub.diagonals() * dof; ++column)
        ASSERT_EQ(part.system.values[column * rows + i], hub.values[column * hub.rows() + row])
            << "row " << row;
    }
    nodes += box.nodes();
  }
  EXPECT_EQ(nodes, c.grid.nodes());
}

Grid grid_of(int dimension, std::array<std::int64_t, 3> extents, int dof = 1) {
  return {dimension, extents, {0.5, 0.25, 0.125}, dof};
}

TEST(PdePart, OfAllRanksAreTheWhole) {
  for (const PdeCase& c : pde_cases())
    for (const bool manufactured : {false, true})
      for (const auto& [n, ranks] : {std::pair{1, 2}, {4, 3}, {5, 4}}) {
        if (manufactured && c.pde->order == 0) continue;
        const Grid grid =
            grid_of(c.dimension, {6, c.dimension == 2 ? n : 3, c.dimension == 3 ? n : 1}, c.dof);
        expect_whole({c.pde->name, c.sides, c.stencil, grid, manufactured}, ranks);
      }
}

TEST(PdePart, OfAllRanksAreTheWholeWithOtherFaces) {
  for (const char* sides : {"value:2", "clamp", "periodic", "drop,drop,periodic,periodic", "flux:2",
                            "flux:1,robin:1,2,3/value:0,outflow,value:0/robin:2,1,0"})
    for (const bool manufactured : {false, true})
      for (const char* pde : {"poisson", "diffusion"})
        for (const auto& [ny, ranks] : {std::pair{1, 1}, {2, 2}, {3, 2}, {5, 3}, {9, 4}, {4, 4}, {3, 5}})
          expect_whole({pde, sides, "star", grid_of(2, {11, ny, 1}, 2), manufactured}, ranks);
  for (const char* sides : {"value:2", "clamp", "periodic", "clamp,clamp,periodic,periodic,value:1,drop",
                            "flux:1,robin:1,2,3,periodic,periodic,robin:0,1,2,value:1"})
    for (const bool manufactured : {false, true})
      for (const char* pde : {"poisson", "diffusion"})
        for (const auto& [nz, ranks] : {std::pair{1, 2}, {2, 2}, {3, 2}, {7, 3}, {4, 4}, {2, 3}})
          expect_whole({pde, sides, "star", grid_of(3, {5, 4, nz}), manufactured}, ranks);
}

TEST(PdePart, OfACoefficientThatIsGiven) {
  for (const char* sides : {"value:2", "clamp", "periodic", "clamp,value:1,clamp,clamp",
                            "flux:1/flux:-2,robin:1,2,3,clamp,robin:0,3,1"})
    for (const double barriers : {0.0, 0.3, 0.7})
      for (const auto& [ny, ranks] : {std::pair{1, 1}, {3, 2}, {5, 3}, {9, 4}, {3, 5}})
        expect_whole({"diffusion", sides, "star", grid_of(2, {11, ny, 1}, 2), false, 1, barriers}, ranks);
  for (const char* sides : {"value:2", "clamp", "clamp,clamp,periodic,periodic,value:1,drop"})
    for (const double barriers : {0.0, 0.5})
      for (const auto& [nz, ranks] : {std::pair{2, 2}, {7, 3}, {4, 4}})
        expect_whole({"diffusion", sides, "star", grid_of(3, {5, 4, nz}), false, 1, barriers}, ranks);
}

// The source of a region that nothing leaves makes up for what comes in through the faces of the grid.
TEST(PdePart, ClosedRegionsAreInBalance) {
  for (const char* sides : {"flux:2/flux:-1,clamp,robin:0,2,3,outflow", "flux:2,value:0,clamp,flux:1"}) {
    const LinesCase c{"diffusion", sides, "star", grid_of(2, {23, 17, 1}, 2), false, 1, 0.5};
    const Boundary boundary = parse_boundary(sides, 2);
    const PdePart lines = assemble_pde(c.pde, c.grid, star_stencil(2, 1), boundary, input_of(c, boundary),
                                       whole_box(c.grid.extents));
    ASSERT_GT(lines.regions, 3);
    std::vector<double> sum(static_cast<std::size_t>(lines.regions * 2)), size = sum;
    for (std::int64_t row = 0; row < c.grid.rows(); ++row)
      if (const std::int32_t region = lines.region[row / 2]; region >= 0) {
        sum[region * 2 + row % 2] += lines.system.rhs[row];
        size[region * 2 + row % 2] += std::abs(lines.system.rhs[row]);
      }
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_LE(std::abs(sum[i]), 1e-13 * size[i] + 1e-15) << i;
    EXPECT_GT(*std::max_element(size.begin(), size.end()), 1);
  }
}

TEST(PdePart, SaysWhichFacesAPdeDoesNotTake) {
  const Grid grid = grid_of(2, {6, 5, 1}, 2);
  const auto said = [&](const char* pde, const char* sides, const char* stencil) -> std::string {
    try {
      assemble_pde(pde, grid, make_stencil(stencil, 2, 1), parse_boundary(sides, 2), {},
                   whole_box(grid.extents));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* sides : {"clamp", "outflow", "value:0/clamp"})
    EXPECT_NE(said("elasticity", sides, "box").find("value:X, drop, periodic, flux:X and robin"),
              std::string::npos)
        << sides;
  EXPECT_NE(said("elasticity", "robin:1,2,3", "box").find("robin:1,0,C"), std::string::npos);
  EXPECT_EQ(said("elasticity", "value:1/drop", "box"), "");
  for (const char* pde : {"poisson", "diffusion"}) {
    EXPECT_NE(said(pde, "clamp/value:1", "star").find("give every unknown a face of value"),
              std::string::npos);
    EXPECT_EQ(said(pde, "flux:1/clamp", "star"), "");
    EXPECT_EQ(said(pde, "robin:1,2,3/value:1,flux:1,flux:1,clamp", "star"), "");
    EXPECT_NE(said(pde, "clamp/clamp/clamp", "star").find("is for 3 unknowns"), std::string::npos);
  }
  EXPECT_NE(said("diffusion", "robin:-1,0.26,0,clamp,clamp,clamp", "star").find("different signs"),
            std::string::npos);
}

TEST(PdePart, ARightSideThatIsOneNumberNeedsNoArray) {
  const Grid grid = grid_of(2, {5, 4, 1}, 2);
  PdePart part;
  add_usual_source(grid, whole_box(grid.extents), {}, part);
  EXPECT_EQ(part.rhs_everywhere, (std::vector<double>{1, 1}));
  EXPECT_TRUE(part.system.rhs.empty());
  PdePart with_data, singular;
  with_data.system.rhs.assign(40, 0.5);
  add_usual_source(grid, whole_box(grid.extents), {}, with_data);
  EXPECT_EQ(with_data.system.rhs, std::vector<double>(40, 1.5));
  singular.singular = true;
  add_usual_source(grid, whole_box(grid.extents), {}, singular);
  EXPECT_EQ(singular.system.rhs.size(), 40u);
  EXPECT_TRUE(with_data.rhs_everywhere.empty() && singular.rhs_everywhere.empty());
  PdeInput input;
  input.source_everywhere = {3, -2};
  PdePart of_numbers, with_both;
  with_both.system.rhs = {1, 2};
  add_usual_source(grid, whole_box(grid.extents), input, of_numbers);
  EXPECT_EQ(of_numbers.rhs_everywhere, input.source_everywhere);
  add_usual_source(grid_of(2, {1, 1, 1}, 2), NodeBox{}, input, with_both);
  EXPECT_EQ(with_both.system.rhs, (std::vector<double>{4, 0}));
}

// In host memory, wherever and however they were made.
Array<double> values_of(const AssembledBox<double>& system) {
  if (!system.few_rows)
    return system.device_values.size() > 0 ? copy_to<Host>(system.device_values) : copy_of(system.values);
  Array<double> values(value_bytes(system.structure, sizeof(double)) / 8);
  repeat_rows(*system.few_rows, values.data());
  return values;
}

std::vector<double> rhs_of(const PdePart& part) {
  if (part.rhs_everywhere.empty()) return part.system.rhs;
  std::vector<double> rhs(static_cast<std::size_t>(part.system.structure.rows()));
  for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = part.rhs_everywhere[i % part.rhs_everywhere.size()];
  return rhs;
}

// Of a uniform operator, by what is asked at every node.
Array<double> values_of_all_rows(bool elastic, const Grid& grid, const Stencil& points,
                                 const Boundary& boundary) {
  const NodeBox whole = whole_box(grid.extents);
  if (!elastic) return assemble_box<double>(grid, points, boundary, laplacian(grid, points), whole).values;
  ElasticForcesWithFreeFaces body;
  body.lambda_pa.number = lame_lambda_pa.usual, body.mu_pa.number = lame_mu_pa.usual;
  bool ends = false;
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    body.per_h[face / 2] = 1 / grid.spacing_m[face / 2];
    body.free[face] = true;
    for (int r = 0; r < grid.dof; ++r)
      body.free[face] = body.free[face] && boundary.of(r)[face].kind == BoundaryKind::flux;
    ends = ends || body.free[face];
  }
  return ends ? assemble_box<double>(grid, points, boundary, body, whole).values
              : assemble_box<double>(grid, points, boundary, elasticity(grid, points), whole).values;
}

// Wherever they are made, and of whichever box. Returns whether they are fewer than all.
bool expect_few_rows(const Pde& pde, const Grid& grid, const std::string& sides, const std::string& stencil,
                     bool manufactured) {
  SCOPED_TRACE(pde.name + " " + to_string(grid) + " " + sides + " " + stencil);
  const Boundary boundary = parse_boundary(sides, grid.dimension);
  const Stencil points = make_stencil(stencil, grid.dimension, 1);
  PdeInput input;
  input.manufactured = manufactured;
  const auto made = [&](const NodeBox& box, bool on_device) {
    input.on_device = on_device;
    return assemble_pde(pde.name, grid, points, boundary, input, box);
  };
  const PdePart host = made(whole_box(grid.extents), false);
  if (few_rows_of(host.system.structure).stored.all) return false;
  const Array<double> expected =
      values_of_all_rows(pde.discretisation.unknown_per_axis, grid, points, boundary);
  const PdePart few = made(whole_box(grid.extents), true);
  EXPECT_TRUE(few.system.few_rows);
  EXPECT_EQ(few.system.structure, host.system.structure);
  EXPECT_EQ(rhs_of(few), host.system.rhs);
  EXPECT_EQ(few.exact, host.exact);
  for (const PdePart* each : {&few, &host}) {
    const Array<double> values = values_of(each->system);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
  }
  for (int rank = 0; rank < 3; ++rank) {
    const NodeBox box = own_box(make_partition(grid.extents, {}, 3, rank));
    expect_part_of(host.system, made(box, false).system, grid, box);
  }
  return true;
}

// A grid is so long that the rows of most of its nodes are not made.
TEST(PdePart, AFewRowsAreAllOfUniformOperators) {
  const std::vector<std::string> alike{"value:0", "periodic"},
      differ{"drop,drop,flux:0,flux:1", "flux:0,drop,periodic,periodic", "flux:1,value:2,flux:0,flux:0"};
  int few = 0, all = 0;
  const auto expect = [&](const Pde& pde, const Grid& grid, const std::string& sides, bool manufactured) {
    for (const char* stencil : {"star", "box"})
      if (stencil == std::string("box") || !pde.discretisation.unknown_per_axis)
        ++(expect_few_rows(pde, grid, sides, stencil, manufactured) ? few : all);
  };
  for (const Pde& pde : linear_pdes())
    for (const int dimension : {2, 3})
      for (const NodePosition& n : {NodePosition{17, 12, 9}, {3, 40, 4}, {8, 2, 31}, {1, 9, 7}, {5, 5, 5}}) {
        if (!pde.uniform) continue;
        const bool elastic = pde.discretisation.unknown_per_axis;
        Grid grid = grid_of(dimension, {n[0], n[1], dimension == 3 ? n[2] : 1}, elastic ? dimension : 2);
        grid.spacing_m = {0.3, 0.7, 1.1};
        for (const std::string& sides : alike)
          for (const bool manufactured : {false, true}) expect(pde, grid, sides, manufactured);
        const std::string along_z = dimension == 3 ? ",drop,drop" : "";
        for (const std::string& sides : differ) expect(pde, grid, sides + along_z, false);
        expect(pde, grid,
               !elastic ? "robin:1,2,3,clamp,outflow,value:1" + along_z
                        : std::string("value:1/drop") + (dimension == 3 ? "/drop" : ""),
               false);
        if (elastic)
          for (const char* along_x : {"robin:1,0,2/flux:0", "flux:1"})
            expect(pde, grid,
                   dimension == 2 ? std::string("robin:1,0,0/flux:0,") + along_x +
                                        ",flux:2/robin:1,0,0,robin:3,0,1/flux:2"
                                  : std::string("robin:1,0,0/flux:1/flux:2,") + along_x +
                                        (along_x[0] == 'r' ? "/flux:0" : "") +
                                        ",drop,flux:0,flux:0/flux:3/robin:1,0,0,flux:0",
                   false);
      }
  EXPECT_GT(few, 100);
  EXPECT_GT(all, 10);
}

// With the values made in GPU memory, right sides and all else too.
TEST(PdePart, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::set<std::string> made_there;
  for (const PdeCase& c : pde_cases())
    for (const bool manufactured : {false, true}) {
      if (manufactured && c.pde->order == 0) continue;
      SCOPED_TRACE(c.name);
      const Grid grid = grid_of(c.dimension, {17, 12, c.dimension == 3 ? 9 : 1}, c.dof);
      const Boundary boundary = parse_boundary(c.sides, c.dimension);
      const Stencil points = make_stencil(c.stencil, c.dimension, 1);
      PdeInput input;
      input.manufactured = manufactured;
      if (manufactured) input.parameters = other_parameters(*c.pde);
      const PdePart host = assemble_pde(c.pde->name, grid, points, boundary, input, whole_box(grid.extents));
      input.on_device = true;
      PdePart device = assemble_pde(c.pde->name, grid, points, boundary, input, whole_box(grid.extents));
      const bool there = device.system.device_values.size() > 0 || device.system.few_rows;
      if (there) made_there.insert(c.pde->name);
      EXPECT_EQ(device.system.values.size() == 0, there);
      const Array<double> values = values_of(device.system);
      EXPECT_TRUE(
          std::equal(values.begin(), values.end(), host.system.values.begin(), host.system.values.end()));
      EXPECT_EQ(rhs_of(device), host.system.rhs);
      EXPECT_EQ(device.exact, host.exact);
    }
  EXPECT_TRUE(made_there.contains("poisson") && made_there.contains("diffusion") &&
              made_there.contains("elasticity"));
}

TEST(PdePart, OfWideStencils) {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const char* sides : {"value:2", "periodic"})
      for (const Pde& pde : linear_pdes())
        if (const int widest = pde.discretisation.star; widest > 1)
          expect_whole({pde.name, sides, "star", grid_of(2, {6, 7, 1}, default_dof(pde.discretisation, 2)),
                        false, widest},
                       ranks);
    for (const bool manufactured : {false, true})
      expect_whole({"poisson", "value:2,flux:1,clamp,outflow,periodic,periodic", "star",
                    grid_of(3, {5, 6, 5}, 2), manufactured, 2},
                   ranks);
  }
}

}  // namespace
}  // namespace quadrille
