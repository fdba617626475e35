// The PDEs that are given by their residuals: what the ranks evaluate is the whole. PETSc tests their
// Jacobians in tests/library/pde_jacobians_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "assembly/pdes.hpp"
#include "assembly/residual_promises.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/assembly/dense_reference.hpp"
#include "tests/pde_cases.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille {
namespace {

std::vector<const Pde*> residual_pdes() {
  std::vector<const Pde*> all;
  for (const Pde& pde : pdes())
    if (pde.residual != nullptr) all.push_back(&pde);
  return all;
}

Grid grid_for(const Pde& pde, int dimension) {
  const Discretisation& taken = pde.discretisation;
  const int dof =
      taken.coupled && taken.dof == 0 && !taken.unknown_per_axis ? 3 : default_dof(taken, dimension);
  return {dimension, {9, 8, dimension == 3 ? 7 : 1}, {0.1, 0.02, 0.3}, dof};
}

// Of a box, from numbers of the whole grid.
struct State {
  NodeWindow window;
  std::vector<double> u, rate;
  // Of faces that outlive it.
  ResidualState of(const Grid& grid, const FaceValues& faces, const NodeBox& box) const {
    return {grid, faces.on_host(), box, window, u.data(), rate.data(), 0.3};
  }
};

State part_of(const Grid& grid, const NodeBox& box, const std::vector<double>& u,
              const std::vector<double>& rate) {
  State state{window_around(grid, box), {}, {}};
  const auto add = [&](std::vector<double>& to, const std::vector<double>& from, std::int64_t node) {
    for (int r = 0; r < grid.dof; ++r) to.push_back(from[static_cast<std::size_t>(node * grid.dof + r)]);
  };
  for (std::int64_t i = 0; i < state.window.nodes(); ++i)
    add(state.u, u, node_index(grid, state.window.position(i)));
  for (std::int64_t line = 0; line < box.lines(); ++line)
    for (std::int64_t i = 0; i < box.size[0]; ++i) {
      const NodePosition at = box.first_of_line(line);
      add(state.rate, rate, node_index(grid, {at[0] + i, at[1], at[2]}));
    }
  return state;
}

std::vector<double> drawn(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> some(0.1, 0.9);
  std::vector<double> values(static_cast<std::size_t>(size));
  std::generate(values.begin(), values.end(), [&] { return some(random); });
  return values;
}

std::vector<double> evaluated(const AnyResidual& residual, const Grid& grid, const Boundary& boundary,
                              const std::vector<double>& u, const std::vector<double>& rate) {
  const NodeBox whole = whole_box(grid.extents);
  std::vector<double> f(u.size());
  const State state = part_of(grid, whole, u, rate);
  const FaceValues faces(grid, boundary, false);
  residual.evaluate(state.of(grid, faces, whole), f.data());
  return f;
}

// Of one kind all round, without data, but that displacements are held along x.
Boundary plain_boundary(const Pde& pde, BoundaryKind kind) {
  Boundary boundary;
  boundary.faces.fill({kind, 0});
  if (pde.discretisation.unknown_per_axis) boundary.faces[0] = boundary.faces[1] = {BoundaryKind::value};
  return boundary;
}

// What four ranks evaluate and begin with, bit by bit.
void expect_the_whole(const Pde& pde, const Grid& grid, const Boundary& boundary, const PdeInput& input) {
  const Stencil stencil = make_stencil(default_stencil(pde.discretisation), grid.dimension, 1);
  const ResidualProblem whole = residual_of_pde(pde, grid, stencil, boundary, input, whole_box(grid.extents));
  const std::vector<double> u = drawn(grid.rows(), 1), rate = drawn(grid.rows(), 2),
                            f = evaluated(whole.residual, grid, boundary, u, rate);
  std::array<bool, 3> periodic{};
  for (int axis = 0; axis < grid.dimension; ++axis) periodic[axis] = boundary.periodic(axis);
  for (int rank = 0; rank < 4; ++rank) {
    const NodeBox box = own_box(make_partition(grid.extents, periodic, 4, rank));
    const ResidualProblem part = residual_of_pde(pde, grid, stencil, boundary, input, box);
    const State state = part_of(grid, box, u, rate);
    std::vector<double> of_part(static_cast<std::size_t>(box.nodes() * grid.dof));
    part.residual.evaluate(state.of(grid, FaceValues(grid, boundary, false), box), of_part.data());
    for (std::int64_t i = 0; i < box.nodes(); ++i) {
      const NodePosition at = box.first_of_line(i / box.size[0]);
      const std::int64_t node = node_index(grid, {at[0] + i % box.size[0], at[1], at[2]});
      for (int r = 0; r < grid.dof; ++r) {
        ASSERT_EQ(of_part[i * grid.dof + r], f[node * grid.dof + r]);
        ASSERT_EQ(part.initial[i * grid.dof + r], whole.initial[node * grid.dof + r]);
      }
    }
  }
}

TEST(ResidualPdes, OfTheRanksAreTheWhole) {
  for (const Pde* pde : residual_pdes())
    for (const int dimension : {2, 3})
      for (const BoundaryKind kind : {pde->faces.front(), BoundaryKind::periodic})
        for (const bool manufactured : {false, true}) {
          if (!takes(*pde, kind) || (manufactured && pde->order == 0)) continue;
          SCOPED_TRACE(pde->name);
          PdeInput input;
          input.manufactured = manufactured;
          if (manufactured) input.parameters = other_parameters(*pde);
          const Grid grid = grid_for(*pde, dimension);
          expect_the_whole(*pde, grid, plain_boundary(*pde, kind), input);
          if (manufactured || !takes_fields(*pde)) continue;
          add_fields(input, *pde, grid);
          expect_the_whole(*pde, grid, plain_boundary(*pde, kind), input);
        }
}

// Returns whether few rows are all of its Jacobian.
bool expect_as_it_says(const AnyResidual& residual, const Grid& grid, const Stencil& stencil,
                       const Boundary& boundary) {
  EXPECT_TRUE(residual.tested);
  const NodeBox whole = whole_box(grid.extents);
  const BlockStructure structure = block_structure(grid, stencil, boundary, residual.fill);
  const JacobianShape shape = jacobian_shape(structure);
  const FaceValues faces(grid, boundary, true);
  const State state = part_of(grid, whole, drawn(grid.rows(), 1), drawn(grid.rows(), 2));
  Array<double> values(value_bytes(structure, 8) / 8);
  FewRows rows = few_rows_of(structure);
  const bool few = residual.rows_by_blocks && !rows.stored.all;
  for (const double shift : {0.7, 30.0}) {
    EXPECT_EQ(residual.differentiate(state.of(grid, faces, whole), shift, shape, true, values.data()), 0u);
    const BrokenPromises broken = broken_promises(residual, grid, faces.on_host(), whole, shape, 0.3, shift);
    EXPECT_FALSE(broken.linear || broken.symmetric || broken.uniform);
    if (!few) continue;
    fill_few_rows(residual, grid, faces.on_host(), 0.3, shift, shape, rows);
    double largest = 0;
    for (const double value : rows.a.values) largest = std::max(largest, std::abs(value));
    EXPECT_LE(largest_difference(rows, values.data()), 1e-12 * largest);
  }
  return few;
}

// What a functor of ours says of itself nobody looks at again (AnyResidual::tested): what couples, which
// neighbours it asks for, that it is linear, symmetric, uniform, and that few rows are all of its Jacobian.
TEST(ResidualPdes, AreAsTheySay) {
  int of_few_rows = 0;
  for (const Pde* pde : residual_pdes())
    for (const int dimension : {2, 3})
      for (const BoundaryKind kind : every_face())
        for (const bool fields : {false, true}) {
          if (!takes(*pde, kind) || (fields && !takes_fields(*pde))) continue;
          SCOPED_TRACE(pde->name);
          const Grid grid = grid_for(*pde, dimension);
          const Boundary boundary = plain_boundary(*pde, kind);
          PdeInput input;
          if (fields) add_fields(input, *pde, grid);
          const Stencil stencil = make_stencil(default_stencil(pde->discretisation), dimension, 1);
          const NodeBox whole = whole_box(grid.extents);
          const ResidualProblem problem = residual_of_pde(*pde, grid, stencil, boundary, input, whole);
          for (const AnyResidual* each :
               {&problem.residual, &problem.near, &problem.at_first, &problem.near_at_first})
            if (each->evaluate) of_few_rows += expect_as_it_says(*each, grid, stencil, boundary);
        }
  EXPECT_GT(of_few_rows, 20);
}

// What is said to follow from the other unknowns makes its own residual larger by as much, and no rate does.
TEST(ResidualPdes, WhatFollowsIsWhatItsResidualLacks) {
  int some = 0;
  for (const Pde* pde : residual_pdes()) {
    SCOPED_TRACE(pde->name);
    const Grid grid = grid_for(*pde, 2);
    const Boundary boundary = plain_boundary(*pde, pde->faces.front());
    const Stencil stencil = make_stencil(default_stencil(pde->discretisation), 2, 1);
    const ResidualProblem problem =
        residual_of_pde(*pde, grid, stencil, boundary, {}, whole_box(grid.extents));
    for (const int r : problem.follow) {
      ++some;
      const std::vector<double> u = drawn(grid.rows(), 1),
                                f = evaluated(problem.residual, grid, boundary, u, drawn(grid.rows(), 2));
      std::vector<double> more = u;
      for (std::int64_t row = r; row < grid.rows(); row += grid.dof) more[row] += 1 + 0.5 * u[row];
      const std::vector<double> g = evaluated(problem.residual, grid, boundary, more, drawn(grid.rows(), 3));
      for (std::int64_t row = r; row < grid.rows(); row += grid.dof)
        ASSERT_NEAR(g[row] - f[row], more[row] - u[row], 1e-12) << row;
    }
  }
  EXPECT_EQ(some, 1);
}

// u_t + A u - rhs with the operator that `diffusion` assembles, whatever the faces; where the coefficient is
// 0 there is nothing but u_t. On ranks the same bits.
TEST(ResidualPdes, HeatThroughAFieldIsDiffusionInTime) {
  for (const int dimension : {2, 3})
    for (const char* sides : {"value:0.5", "periodic", "clamp,flux:0.3,robin:1,2,0.7,drop"}) {
      SCOPED_TRACE(sides);
      const Grid grid{dimension, {9, 8, dimension == 3 ? 7 : 1}, {0.1, 0.02, 0.3}, 2};
      const std::string of_z = std::string(sides).find(',') < 99 && dimension == 3 ? ",outflow,value:2" : "";
      const Boundary boundary = parse_boundary(sides + of_z, dimension);
      const std::vector<double> drawn_a = drawn(grid.nodes(), 5);
      Array<double> a(grid.nodes());
      for (std::int64_t i = 0; i < a.size(); ++i) a[i] = i % 13 == 5 ? 0 : std::pow(10, 6 * drawn_a[i] - 3);
      PdeInput input;
      input.coefficient_ratio = {1, 0.25, 3};
      input.coefficient =
          std::make_shared<const CoefficientField>(coefficient_field(grid, boundary, std::move(a), "a"));
      ASSERT_TRUE(input.coefficient->held.empty() || boundary.periodic(0));
      const Stencil stencil = star_stencil(dimension, 1);
      const NodeBox whole = whole_box(grid.extents);
      const std::vector<double> u = drawn(grid.rows(), 1), rate = drawn(grid.rows(), 2);
      const AnyResidual residual =
          residual_of_pde(find_pde("heat"), grid, stencil, boundary, input, whole).residual;
      const std::vector<double> f = evaluated(residual, grid, boundary, u, rate);

      Array<double> none(grid.nodes());
      for (std::int64_t i = 0; i < none.size(); ++i) none[i] = 0;
      input.source = std::make_shared<const Array<double>>(std::move(none));
      const PdeProblem system = assemble_whole_pde("diffusion", grid, stencil, boundary, input);

      const auto& hub = system.system.hub;
      const Csr<double> csr = to_csr(hub);
      for (std::int64_t row = 0; row < csr.rows; ++row) {
        const std::int64_t node = row / grid.dof;
        const auto& held = input.coefficient->held;
        if (std::find(held.begin(), held.end(), node) != held.end()) continue;
        double expected = rate[row], size = std::abs(rate[row]);
        for (std::int64_t k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) {
          if (input.coefficient->a[node] == 0) break;
          expected += csr.value[k] * u[csr.column[k]];
          size += std::abs(csr.value[k]);
        }
        if (input.coefficient->a[node] > 0 && !system.system.rhs.empty()) {
          expected -= system.system.rhs[row];
          size += std::abs(system.system.rhs[row]);
        }
        ASSERT_NEAR(f[row], expected, 1e-13 * size) << row;
      }

      std::array<bool, 3> periodic{};
      for (int axis = 0; axis < dimension; ++axis) periodic[axis] = boundary.periodic(axis);
      for (int rank = 0; rank < 4; ++rank) {
        const NodeBox box = own_box(make_partition(grid.extents, periodic, 4, rank));
        const ResidualProblem part = residual_of_pde(find_pde("heat"), grid, stencil, boundary, input, box);
        const State state = part_of(grid, box, u, rate);
        std::vector<double> of_part(static_cast<std::size_t>(box.nodes() * grid.dof));
        part.residual.evaluate(state.of(grid, FaceValues(grid, boundary, false), box), of_part.data());
        for (std::int64_t i = 0; i < box.nodes() * grid.dof; ++i) {
          const NodePosition at = box.first_of_line(i / grid.dof / box.size[0]);
          const std::int64_t node = node_index(grid, {at[0] + i / grid.dof % box.size[0], at[1], at[2]});
          ASSERT_EQ(of_part[i], f[node * grid.dof + i % grid.dof]);
        }
      }
    }
}

Array<double, Device> on_device(const std::vector<double>& host) {
  Array<double, Device> there(static_cast<std::int64_t>(host.size()));
  memory::copy_to_device(there.data(), host.data(), there.bytes());
  return there;
}

void expect_same(const std::vector<double>& expected, const Array<double, Device>& found) {
  std::vector<double> back(expected.size());
  memory::copy_to_host(back.data(), found.data(), found.bytes());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back[i], expected[i], 1e-14 * size) << i;
}

enum class Given { nothing, numbers, tensors, fields };
PdeInput input_of(const Pde& pde, Given given, const Grid& grid, const Boundary& boundary) {
  PdeInput input;
  if (given == Given::fields) add_fields(input, pde, grid);
  if (given == Given::tensors) {
    const int count = tensor_numbers(grid.dimension);
    Array<double> k(grid.nodes() * count);
    for (std::int64_t i = 0; i < k.size(); ++i)
      k[i] = i % count == 0 || i % count == count - 1 || (count == 6 && i % count == 3)
                 ? 3.0
                 : 0.01 * static_cast<double>(i * 37 % 101);
    input.tensor = std::make_shared<const TensorField>(tensor_field(grid, std::move(k), "K"));
  }
  if (given == Given::numbers) {
    Array<double> a(grid.nodes());
    for (std::int64_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * 37 % 101);
    input.coefficient =
        std::make_shared<const CoefficientField>(coefficient_field(grid, boundary, std::move(a), "a"));
  }
  return input;
}

// The residual of heat at some state is what the rows of diffusion make of it, with u_t, at all kinds of
// faces.
TEST(ResidualPdes, HeatThroughTensorsIsDiffusion) {
  const Pde& heat = find_pde("heat");
  for (const int dimension : {2, 3})
    for (const char* x : {"flux:1/robin:1,2,3,drop", "robin:1,0,2,value:1/flux:2", "periodic,periodic"}) {
      Grid grid = grid_for(heat, dimension);
      grid.dof = 2;
      const std::string sides =
          std::string(x) + ",robin:2,1,1,clamp/value:3" + (dimension == 3 ? ",flux:-1,robin:0,1,2" : "");
      SCOPED_TRACE(sides);
      const Boundary boundary = parse_boundary(sides, dimension);
      PdeInput input = input_of(heat, Given::tensors, grid, boundary);
      const NodeBox box = whole_box(grid.extents);
      const AnyResidual residual =
          residual_of_pde(heat, grid, box_stencil(dimension, 1), boundary, input, box).residual;
      const State state = part_of(grid, box, drawn(grid.rows(), 6), drawn(grid.rows(), 7));
      FaceValues faces(grid, boundary, true);
      faces.ask(0);
      std::vector<double> f(static_cast<std::size_t>(grid.rows()));
      residual.evaluate(state.of(grid, faces, box), f.data());
      input.source = std::make_shared<const Array<double>>(Array<double>(grid.nodes(), 0.0));
      const PdeProblem steady =
          assemble_whole_pde("diffusion", grid, box_stencil(dimension, 1), boundary, input);

      const auto& hub = steady.system.hub;
      const std::vector<double> y = reference::apply(hub, state.u);
      for (std::size_t i = 0; i < f.size(); ++i)
        ASSERT_NEAR(f[i], state.rate[i] + y[i] - steady.system.rhs[i], 1e-10 * std::abs(y[i]) + 1e-10) << i;
    }
}

// F and its Jacobian of a box, made in GPU memory and by the host.
void expect_same_on_device(const Pde& pde, const Grid& grid, const Boundary& boundary, const NodeBox& box,
                           const PdeInput& input) {
  const Pde& taken = input.tensor ? pde.with_tensor() : pde;
  const Stencil stencil = make_stencil(default_stencil(taken.discretisation), grid.dimension, 1);
  const AnyResidual residual = residual_of_pde(pde, grid, stencil, boundary, input, box).residual;
  const State state = part_of(grid, box, drawn(grid.rows(), 6), drawn(grid.rows(), 7));
  FaceValues faces(grid, boundary, true);
  const ResidualState here = state.of(grid, faces, box);
  const Array<double, Device> u = on_device(state.u), rate = on_device(state.rate);
  ResidualState there = here;
  there.faces = faces.on_device();
  there.u = u.data();
  there.rate = rate.data();
  std::vector<double> f(static_cast<std::size_t>(box.nodes() * grid.dof));
  residual.evaluate(here, f.data());
  Array<double, Device> found = on_device(std::vector<double>(f.size(), 7));
  residual.evaluate_on_device(there, found.data());
  expect_same(f, found);

  const BlockStructure structure = block_structure(grid, stencil, boundary, residual.fill);
  const JacobianShape shape = jacobian_shape(structure);
  BlockStructure part = structure;
  part.extents = box.size;
  std::vector<double> values(static_cast<std::size_t>(value_bytes(part, 8) / 8), 0.0);
  Array<double, Device> made = on_device(values);
  EXPECT_EQ(residual.differentiate(here, 2.5, shape, true, values.data()), 0u);
  residual.differentiate_on_device(there, 2.5, shape, nullptr, made.data());
  expect_same(values, made);
}

// One kind all round or, where the displacement of a body has to be held, between two faces that hold it.
std::string sides_of(const Pde& pde, BoundaryKind kind) {
  return pde.discretisation.unknown_per_axis ? "value:0,value:0," + written(kind, 0) + "," + written(kind, 0)
                                             : written(kind, 0);
}

// To the last bit but for functions such as exp(); of few nodes, of more than a GPU's blocks have, and of a
// part that begins and ends inside the grid along one axis or another.
TEST(ResidualPdes, cuda_AreThoseOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const Pde* pde : residual_pdes())
    for (const int dimension : {2, 3})
      for (const BoundaryKind kind : pde->faces)
        for (const Given given : {Given::nothing, Given::numbers, Given::tensors, Given::fields}) {
          if (given == Given::numbers && !pde->takes_coefficient) continue;
          if (given == Given::fields && !takes_fields(*pde)) continue;
          if (given == Given::tensors && (!pde->with_tensor || !takes(pde->with_tensor(), kind))) continue;
          SCOPED_TRACE(pde->name + " " + usage(kind) + " " + std::to_string(dimension));
          const bool per_axis = pde->discretisation.unknown_per_axis && dimension == 3;
          const Boundary boundary = parse_boundary(
              sides_of(*pde, kind) + (per_axis ? "," + written(kind, 0) + "," + written(kind, 0) : ""),
              dimension);
          Grid grid = grid_for(*pde, dimension);
          expect_same_on_device(*pde, grid, boundary, whole_box(grid.extents),
                                input_of(*pde, given, grid, boundary));
          grid.extents = {70, 23, dimension == 3 ? 11 : 1};
          const std::int64_t depth = grid.extents[2];
          for (const NodeBox& box :
               {whole_box(grid.extents), NodeBox{{17, 0, 0}, {53, 23, depth}},
                NodeBox{{0, 3, depth / 4}, {70, 18, std::max(depth / 2, std::int64_t{1})}}})
            expect_same_on_device(*pde, grid, boundary, box, input_of(*pde, given, grid, boundary));
        }
}

TEST(ResidualPdes, cuda_ManufacturedAreThoseOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  PdeInput manufactured;
  manufactured.manufactured = true;
  for (const Pde* pde : residual_pdes())
    for (const int dimension : {2, 3}) {
      if (pde->order == 0) continue;
      SCOPED_TRACE(pde->name + " " + std::to_string(dimension));
      manufactured.parameters = other_parameters(*pde);
      const Grid grid = grid_for(*pde, dimension);
      expect_same_on_device(*pde, grid, plain_boundary(*pde, pde->faces.front()), whole_box(grid.extents),
                            manufactured);
    }
}

TEST(ResidualPdes, RefuseFieldsThatTheyDoNotTake) {
  const Pde& transport = find_pde("transport");
  const Grid grid = grid_for(transport, 2);
  const auto of = [&](const char* name, std::int64_t nodes, double number, bool manufactured = false) {
    Array<double> values(nodes);
    for (std::int64_t i = 0; i < nodes; ++i) values[i] = i == 5 ? number : 1;
    PdeInput input;
    input.manufactured = manufactured;
    input.fields.emplace_back(name, std::make_shared<const Array<double>>(std::move(values)));
    return residual_of_pde(transport, grid, star_stencil(2, 1), parse_boundary("periodic", 2), input,
                           whole_box(grid.extents));
  };
  EXPECT_NO_THROW(of("d", grid.nodes(), 2));
  EXPECT_THROW(of("d", grid.nodes(), 0), InputError);
  EXPECT_THROW(of("v_x", grid.nodes(), std::nan("")), InputError);
  EXPECT_THROW(of("d", grid.nodes() - 1, 2), InputError);
  EXPECT_THROW(of("q", grid.nodes(), 2), InputError);
  EXPECT_THROW(of("d", grid.nodes(), 2, true), InputError);
  PdeInput input;
  input.reaction = {1, 2, 3, 4};
  EXPECT_THROW(residual_of_pde(transport, grid, star_stencil(2, 1), parse_boundary("periodic", 2), input,
                               whole_box(grid.extents)),
               InputError);
}

TEST(ResidualPdes, RefuseWhatTheyDoNotTake) {
  const Pde& heat = find_pde("heat");
  const Grid grid = grid_for(heat, 2);
  PdeInput manufactured;
  manufactured.manufactured = true;
  const auto of = [&](const Pde& pde, const Grid& on, const char* sides, const PdeInput& input) {
    return residual_of_pde(pde, on, star_stencil(2, 1), parse_boundary(sides, 2), input,
                           whole_box(on.extents));
  };
  EXPECT_NO_THROW(of(heat, grid, "clamp", manufactured));
  manufactured.coefficient_ratio = {1, 2, 1};
  EXPECT_THROW(of(heat, grid, "clamp", manufactured), InputError);
  manufactured.coefficient_ratio = {1, 1, 1};
  EXPECT_THROW(of(heat, grid, "value:1", manufactured), InputError);
  EXPECT_NO_THROW(of(find_pde("bratu"), grid, "value:0", manufactured));
  EXPECT_THROW(of(find_pde("bratu"), grid, "value:1", manufactured), InputError);
  EXPECT_THROW(of(find_pde("gray_scott"), grid, "periodic", {}), InputError);  // one unknown
  EXPECT_THROW(of(find_pde("cahn_hilliard"), grid_for(find_pde("cahn_hilliard"), 2), "value:1", {}),
               InputError);
  EXPECT_THROW(assemble_pde("heat", grid, star_stencil(2, 1), {}, {}, whole_box(grid.extents)), InputError);
}

}  // namespace
}  // namespace quadrille
