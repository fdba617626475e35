// A model of three species whose coefficients change with its time, and PETSc's own matrix of the same
// operator.
#pragma once

#include <gtest/gtest.h>

#include <quadrille/quadrille.hpp>
#include <string>
#include <vector>

#include "formats/csr.hpp"
#include "kernels/petsc/base/check.hpp"

namespace quadrille::library_test {

#define CALL(call) ::quadrille::petsc::check(call, #call)

struct Model {
  double t = 0;

  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    const double k = 1 + t * (0.3 + 0.1 * r) + 0.01 * static_cast<double>(node.position.x);
    if (to.offset == Offset{}) return r == c ? 8 * k + 2 : 0.1 * t * (r - c) - 0.05;
    return r == c ? -k * (1 + 0.1 * t * to.offset.x) : 0.02 * t * to.offset.y;
  }
  constexpr double source(const StencilNode& node, int r) const {
    return 1 + t + r + 0.01 * static_cast<double>(node.index);
  }
};

// The same kind of model, which says what couples: species 0 does not feel species 2 in its node, and beside
// it each feels itself, 1 also 0. Some of these coefficients are 0 at t = 0. At one node species 2 feels 0
// beside it, if any.
struct Species {
  double t = 0;
  std::int64_t wrong_at = -1;

  static constexpr bool couples(bool centre, int r, int c) {
    return centre ? r != 0 || c != 2 : r == c || (r == 1 && c == 0);
  }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    const double k = 1 + t * (0.3 + 0.1 * r) + 0.01 * static_cast<double>(node.position.x);
    const bool centre = to.offset == Offset{};
    if (node.index == wrong_at && to.offset == Offset{0, -1, 0} && r == 2 && c == 0) return 0.5;
    if (!couples(centre, r, c)) return 0;
    if (centre) return r == c ? 8 * k + 2 : 0.1 * t * (r - c);
    return r == c ? -k : 0.02 * t * to.offset.y;
  }
};
struct SpeciesByValues {
  Species of;
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    return of(node, to, r, c);
  }
};

// By nvcc, for both memories, where there is CUDA.
OnDevice<Model> on_both(const Model& model);
OnDevice<Species> on_both(const Species& model);

struct Problem {
  std::string name;
  Grid grid;
  Stencil stencil;
  Boundary boundary;
};

inline Boundary faces(bool periodic_x) {
  BoundaryConditions faces = no_flux();
  faces.x_low = dirichlet(
      [](const Position& beyond, int unknown) { return 1 + 0.1 * static_cast<double>(beyond.y) + unknown; });
  faces.y_low = each_unknown({dirichlet(2), neumann(0.5), robin(1, 2, 3)});
  if (periodic_x) faces.x_low = faces.x_high = periodic();
  return faces;
}

inline std::vector<Problem> problems() {
  return {
      {"3D star", {.extents = {6, 5, 7}, .spacing_m = {1, 1, 1}, .dof = 3}, star_stencil(3, 1), faces(false)},
      {"2D box, periodic along x",
       {.dimension = 2, .extents = {9, 8, 1}, .spacing_m = {1, 1, 1}, .dof = 3},
       box_stencil(2, 1),
       faces(true)}};
}

// Of all ranks, in their numbering, from an assembly of the whole operator on each of them.
template <class Coefficient>
petsc::Handle<Mat> plain_aij(const Problem& problem, const Partition& partition, const Coefficient& model) {
  const auto whole = assemble<double>(problem.grid, problem.stencil, problem.boundary, model);
  const Csr<double> csr = to_csr(whole.hub);
  const std::int64_t dof = problem.grid.dof;
  const auto number = [&](std::int64_t row) {
    const Position p = node_position(problem.grid, row / dof);
    return static_cast<PetscInt>(number_of(partition, {p.x, p.y, p.z}) * dof + row % dof);
  };
  const auto rows = static_cast<PetscInt>(own_box(partition).nodes() * dof);
  auto aij = petsc::make<Mat>("MatCreate", [](Mat* m) { return MatCreate(PETSC_COMM_WORLD, m); });
  CALL(MatSetSizes(aij.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  CALL(MatSetBlockSize(aij.get(), static_cast<PetscInt>(dof)));
  CALL(MatSetType(aij.get(), MATAIJ));
  CALL(MatSetUp(aij.get()));
  CALL(MatSetOption(aij.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(aij.get(), &first, &last));
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    const PetscInt row = number(i);
    if (row < first || row >= last) continue;
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      CALL(MatSetValue(aij.get(), row, number(csr.column[k]), csr.value[k], INSERT_VALUES));
  }
  CALL(MatAssemblyBegin(aij.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(aij.get(), MAT_FINAL_ASSEMBLY));
  return aij;
}

// The right side of that: the data of the faces and the source.
inline std::vector<double> plain_right_side(const Problem& problem, const Partition& partition,
                                            const Model& model) {
  const auto whole = assemble<double>(problem.grid, problem.stencil, problem.boundary, model);
  const std::int64_t dof = problem.grid.dof, first = first_number(partition, partition.rank);
  std::vector<double> rhs;
  for (std::int64_t i = 0; i < own_box(partition).nodes(); ++i) {
    const NodePosition p = position_of(partition, first + i);
    const Position at{p[0], p[1], p[2]};
    const std::int64_t node = node_index(problem.grid, at);
    for (int r = 0; r < dof; ++r) rhs.push_back(whole.rhs[node * dof + r] + model.source({node, at}, r));
  }
  return rhs;
}

// Numbers that depend on their place in the grid alone.
inline double wave(const Position& at, int unknown) {
  return 0.5 + static_cast<double>((at.x * 7 + at.y * 3 + at.z * 5 + unknown) % 11) / 11;
}

inline void expect_near(const Vector& a, const Vector& b, double tolerance = 1e-12) {
  Vector difference = a;
  difference.axpy(-1, b);
  EXPECT_LE(difference.largest(), tolerance * (1 + b.largest()));
}

}  // namespace quadrille::library_test
