// Assembly in GPU memory: bit by bit the host's values, in the hub and in DIA, also after a refresh.
#include <gtest/gtest.h>

#include <cstring>

#include "assembly/device_operators.hpp"
#include "assembly/operators.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/kernels/cases.hpp"
#include "tests/sanitized.hpp"

namespace quadrille {
namespace {

struct Problem {
  std::string name;
  Grid grid;
  Stencil stencil;
  Boundary boundary;
};

// Some faces become those of flux, robin and outflow, some unknowns differ.
void draw_more_kinds(const Grid& grid, std::mt19937& random, Boundary& boundary) {
  const FaceBoundary more[] = {{BoundaryKind::flux, 2.5},
                               {BoundaryKind::robin, 1.5, 0.7, 1.3},
                               {BoundaryKind::robin, -1, 2, 0},
                               {BoundaryKind::outflow}};
  if (random() % 2 == 0) boundary.of_unknown.assign(grid.dof, boundary.faces);
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    if (boundary.periodic(face / 2)) continue;
    if (random() % 2 == 0) boundary.faces[face] = more[random() % 4];
    for (Faces& faces : boundary.of_unknown)
      if (random() % 2 == 0) faces[face] = more[random() % 4];
  }
}

// Every operator, 2D and 3D, every boundary, stencils whose points merge where they clamp or wrap.
std::vector<Problem> problems() {
  std::mt19937 random(7);
  const std::int64_t extents[] = {1, 2, 3, 4, 7, 9, 18};
  std::vector<Problem> all;
  for (int i = 0; i < (sanitized ? 14 : 40); ++i)
    for (const std::string& name : operator_names()) {
      Problem p{name, {}, {}, {}};
      p.grid.dimension = 2 + i % 2;
      for (int axis = 0; axis < p.grid.dimension; ++axis) p.grid.extents[axis] = extents[random() % 7];
      p.grid.spacing_m = {0.3, 0.7, 1.1};
      const Discretisation& taken = operator_discretisation(name);
      p.grid.dof = taken.unknown_per_axis ? p.grid.dimension : 1 + static_cast<int>(random() % 9);
      p.stencil = make_stencil(default_stencil(taken), p.grid.dimension, 1);
      if (name == "random")
        p.stencil =
            i % 2 == 0 ? custom_stencil(p.grid.dimension, random) : box_stencil(p.grid.dimension, 1 + i % 3);
      p.boundary = random_boundary(p.grid.dimension, random);
      if (i % 4 > 1) draw_more_kinds(p.grid, random, p.boundary);
      all.push_back(std::move(p));
    }
  return all;
}

template <class A>
bool same_bits(const A& a, const A& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

template <class T>
void expect_the_bits_of_the_host(const Problem& p) {
  const auto host = assemble_operator<T>(p.name, p.grid, p.stencil, p.boundary, 3);
  const auto device = assemble_operator_on_device<T>(p.name, p.grid, p.stencil, p.boundary, 3);
  EXPECT_EQ(device.offsets, host.hub.offsets);
  EXPECT_TRUE(same_bits(copy_to<Host>(device.values), host.hub.values));

  const Dia<T> dia =
      copy_to<Host>(assemble_dia_operator_on_device<T>(p.name, p.grid, p.stencil, p.boundary, 3));
  const Dia<T> expected = dia_from_hub(host.hub);
  EXPECT_TRUE(same_bits(dia.offset, expected.offset));
  EXPECT_TRUE(same_bits(dia.value, expected.value));
  EXPECT_EQ(count_non_zeros_on_device<T>(p.name, p.grid, p.stencil, p.boundary, 3), to_csr(host.hub).nnz());
}

TEST(AssemblyOnDevice, cuda_HasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name + " " + to_string(p.grid) + " dof " + std::to_string(p.grid.dof) + " " +
                 describe(p.stencil) + " " + to_string(p.boundary, p.grid.dimension));
    expect_the_bits_of_the_host<double>(p);
    expect_the_bits_of_the_host<float>(p);
  }
}

TEST(AssemblyOnDevice, cuda_HasTheBitsOfTheHostOfOrder4) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::mt19937 random(3);
  const BoundaryKind kinds[] = {BoundaryKind::value, BoundaryKind::drop, BoundaryKind::clamp,
                                BoundaryKind::flux};
  for (const char* extents : {"9x7", "16x16x5", "4x5x6"})
    for (int i = 0; i < 4; ++i) {
      Grid grid = parse_grid(extents);
      grid.dof = 2;
      grid.spacing_m = {0.3, 0.7, 1.1};
      Boundary boundary;
      for (int face = 0; face < 2 * grid.dimension; ++face) boundary.faces[face] = {kinds[random() % 4], 1.5};
      SCOPED_TRACE(std::string(extents) + " " + to_string(boundary, grid.dimension));
      const Stencil stencil = star_stencil(grid.dimension, 2);
      const LaplacianOfOrder4 coefficient = laplacian_of_order4(grid, stencil, boundary);
      const NodeBox whole = whole_box(grid.extents);
      EXPECT_TRUE(same_bits(copy_to<Host>(values_on_device(grid, stencil, boundary, coefficient, whole)),
                            assemble<double>(grid, stencil, boundary, coefficient).hub.values));
    }
}

// A rank's rows, with fields in a window around its box.
TEST(AssemblyOnDevice, cuda_OfABoxHasTheBitsOfTheHost) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  Grid grid = parse_grid("13x12x11");
  grid.dof = 3;
  for (const char* sides : {"value:0,clamp,value:1,value:2,periodic,periodic", "periodic", "clamp"})
    for (const NodeBox& box :
         {NodeBox{{0, 0, 0}, {13, 12, 11}}, NodeBox{{0, 5, 3}, {6, 7, 4}}, NodeBox{{7, 0, 9}, {6, 1, 2}}}) {
      const Boundary boundary = parse_boundary(sides, 3);
      const Stencil star = star_stencil(3, 1);
      const auto expect = [&](const Stencil& stencil, const auto& functor) {
        EXPECT_TRUE(same_bits(copy_to<Host>(values_on_device(grid, stencil, boundary, functor, box)),
                              assemble_box<double>(grid, stencil, boundary, functor, box).values))
            << sides << " from " << box.first[0] << ", " << box.first[1] << ", " << box.first[2];
      };
      expect(star, laplacian(grid, star));
      const DiffusionCoefficients field =
          diffusion_around(grid, star, boundary, box, log_normal_field(grid, window_around(grid, box), 3));
      expect(star, field.functor());
      const Stencil cube = box_stencil(3, 1);
      expect(cube, elasticity(grid, cube));
    }
}

TEST(AssemblyOnDevice, cuda_RefusesTooMuch) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  Grid grid = parse_grid("1024x1024x1024");
  grid.dof = 16;
  EXPECT_THROW(assemble_operator_on_device<double>("random", grid, star_stencil(3, 1), {}, 1), MemoryError);
}

TEST(AssemblyOnDevice, SaysSoWithoutAGpu) {
  if (cuda::device_count() > 0) GTEST_SKIP() << "there is one";
  EXPECT_THROW(assemble_operator_on_device<double>("random", parse_grid("8x8"), star_stencil(2, 1), {}, 1),
               std::runtime_error);
}

// What large operators are checked with: any lines of an operator, as rows of the whole.
TEST(OperatorRows, AreThoseOfTheWholeOperator) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name + " " + to_string(p.grid));
    const auto whole = assemble_operator<double>(p.name, p.grid, p.stencil, p.boundary, 3);
    const Csr<double> csr = to_csr(whole.hub);
    const std::int64_t lines = whole_box(p.grid.extents).lines(), first = lines / 3, count = (lines + 1) / 2;
    const std::vector<LineRange> ranges{{0, lines}, {first, count}, {lines - 1, 1}};
    const auto rows = assemble_operator_rows<double>(p.name, p.grid, p.stencil, p.boundary, 3, ranges);
    ASSERT_EQ(rows.size(), 3u);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const std::int64_t per_line = p.grid.extents[0] * p.grid.dof, from = ranges[i].first * per_line;
      ASSERT_EQ(rows[i].rows, ranges[i].count * per_line);
      ASSERT_EQ(rows[i].columns, csr.columns);
      validate(rows[i]);
      const std::int64_t begin = csr.row_ptr[from], end = csr.row_ptr[from + rows[i].rows];
      ASSERT_EQ(rows[i].nnz(), end - begin);
      for (std::int64_t r = 0; r <= rows[i].rows; ++r)
        ASSERT_EQ(rows[i].row_ptr[r] + begin, csr.row_ptr[from + r]);
      EXPECT_TRUE(std::equal(rows[i].column.begin(), rows[i].column.end(), csr.column.begin() + begin));
      EXPECT_TRUE(std::equal(rows[i].value.begin(), rows[i].value.end(), csr.value.begin() + begin));
    }
    const std::vector<double> rhs = operator_rhs(p.name, p.grid, p.stencil, p.boundary, 3);
    EXPECT_EQ(rhs.empty() ? std::vector<double>(whole.rhs.size(), 0.0) : rhs, whole.rhs);
  }
}

TEST(OperatorRows, DiaFromTheHubIsDiaFromCsr) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name + " " + to_string(p.grid));
    const auto hub = assemble_operator<float>(p.name, p.grid, p.stencil, p.boundary, 5).hub;
    const Dia<float> direct = dia_from_hub(hub), by_csr = dia_from_csr(to_csr(hub));
    validate(direct);
    EXPECT_TRUE(same_bits(direct.offset, by_csr.offset));
    EXPECT_TRUE(same_bits(direct.value, by_csr.value));
  }
}

TEST(OperatorRows, MostNonZerosIsABoundThatDenseBlocksReach) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name + " " + to_string(p.grid));
    const auto hub = assemble_operator<double>(p.name, p.grid, p.stencil, p.boundary, 3).hub;
    EXPECT_GE(most_non_zeros(hub), to_csr(hub).nnz());
    if (hub.fill.said()) {
      EXPECT_EQ(most_non_zeros(hub), to_csr(hub).nnz());
    }
    if (p.name == "random") {
      const auto dropped = assemble_operator<double>(p.name, p.grid, p.stencil, {}, 3).hub;
      EXPECT_EQ(most_non_zeros(dropped), to_csr(dropped).nnz());
    }
  }
  BlockStructure huge;
  huge.extents = {1 << 30, 1 << 30, 1 << 30};
  huge.offsets = {{0, 0, 0}};
  EXPECT_THROW(most_non_zeros(huge), FormatError);
}

}  // namespace
}  // namespace quadrille
