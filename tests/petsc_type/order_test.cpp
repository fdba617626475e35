// The PDEs against their manufactured solutions, solved with the matrix type on any number of ranks: the
// observed order.
#include <cmath>

#include "assembly/pde/manufactured.hpp"
#include "comparison.hpp"
#include "formats/block_diagonals.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "tests/pde_cases.hpp"
#include "tests/sanitized.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille::type_test {
namespace {

// Ranks stand along the last axis, so that DMDA numbers the nodes as quadrille::Grid does.
Handle<DM> slabs(const quadrille::Grid& grid, const Boundary& boundary, bool box) {
  const DMDAStencilType points = box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR;
  const auto side = [&](int axis) {
    return boundary.periodic(axis) ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
  };
  const auto nodes = [&](int axis) { return static_cast<PetscInt>(grid.extents[axis]); };
  Handle<DM> dm = make<DM>("DMDACreate", [&](DM* made) {
    return grid.dimension == 2
               ? DMDACreate2d(PETSC_COMM_WORLD, side(0), side(1), points, nodes(0), nodes(1), 1, ranks(),
                              grid.dof, 1, nullptr, nullptr, made)
               : DMDACreate3d(PETSC_COMM_WORLD, side(0), side(1), side(2), points, nodes(0), nodes(1),
                              nodes(2), 1, 1, ranks(), grid.dof, 1, nullptr, nullptr, nullptr, made);
  });
  CALL(DMSetFromOptions(dm.get()));
  CALL(DMSetMatType(dm.get(), "quadrille"));
  CALL(DMSetUp(dm.get()));
  return dm;
}

// This rank's part of values for all nodes.
Handle<Vec> own_part(DM dm, const std::vector<double>& all) {
  Handle<Vec> v =
      make<Vec>("DMCreateGlobalVector", [=](Vec* made) { return DMCreateGlobalVector(dm, made); });
  PetscInt first = 0, last = 0;
  PetscScalar* values = nullptr;
  CALL(VecGetOwnershipRange(v.get(), &first, &last));
  CALL(VecGetArrayWrite(v.get(), &values));
  std::copy(all.begin() + first, all.begin() + last, values);
  CALL(VecRestoreArrayWrite(v.get(), &values));
  return v;
}

Handle<Mat> own_rows(DM dm, const PdeProblem& problem) {
  const Csr<double> csr = to_csr(problem.system.hub);
  Handle<Mat> a = make<Mat>("DMCreateMatrix", [=](Mat* made) { return DMCreateMatrix(dm, made); });
  PetscInt first = 0, last = 0;
  const petsc::PetscIndices columns(csr.column);
  CALL(MatGetOwnershipRange(a.get(), &first, &last));
  for (PetscInt i = first; i < last; ++i)
    CALL(MatSetValues(a.get(), 1, &i, csr.row_ptr[i + 1] - csr.row_ptr[i], columns.data() + csr.row_ptr[i],
                      csr.value.data() + csr.row_ptr[i], INSERT_VALUES));
  CALL(MatAssemblyBegin(a.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(a.get(), MAT_FINAL_ASSEMBLY));
  if (!problem.singular) return a;
  const Handle<MatNullSpace> constants = make<MatNullSpace>("MatNullSpaceCreate", [](MatNullSpace* made) {
    return MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, made);
  });
  CALL(MatSetNullSpace(a.get(), constants.get()));
  return a;
}

struct Errors {
  double l2 = 0, largest = 0;
  double intervals = 1;  // of the domain along an axis, the geometric mean
};

Errors errors_of(const PdeCase& c, std::int64_t n) {
  const double h = 1.0 / static_cast<double>(n);
  const quadrille::Grid grid{
      c.dimension, {n, n * 3 / 4, c.dimension == 3 ? n / 2 : 1}, {h, 1.5 * h, 2 * h}, c.dof};
  const Boundary boundary = parse_boundary(c.sides, grid.dimension);
  const PdeProblem problem =
      assemble_whole_pde(c.pde->name, grid, make_stencil(c.stencil, grid.dimension, 1), boundary, {1, true});
  const Handle<DM> dm = slabs(grid, boundary, c.stencil == "box");
  const Handle<Mat> a = own_rows(dm.get(), problem);
  const Handle<Vec> b = own_part(dm.get(), problem.system.rhs), exact = own_part(dm.get(), problem.exact);
  const Handle<Vec> u = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(b.get(), v); });
  const Handle<KSP> ksp = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_WORLD, k); });
  PC pc = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  CALL(KSPSetOperators(ksp.get(), a.get(), a.get()));
  CALL(KSPSetType(ksp.get(), KSPCG));
  CALL(KSPGetPC(ksp.get(), &pc));
  CALL(PCSetType(pc, PCJACOBI));
  CALL(KSPSetTolerances(ksp.get(), 1e-10, 0, PETSC_DEFAULT, 5000));
  if (problem.singular) {
    PetscScalar mean = 0;
    CALL(VecSum(b.get(), &mean));
    CALL(VecShift(b.get(), -mean / static_cast<double>(grid.rows())));
  }
  CALL(KSPSolve(ksp.get(), b.get(), u.get()));
  CALL(KSPGetConvergedReason(ksp.get(), &reason));
  EXPECT_GT(reason, 0);
  CALL(VecAXPY(u.get(), -1, exact.get()));
  if (problem.singular) {
    PetscScalar mean = 0;
    CALL(VecSum(u.get(), &mean));
    CALL(VecShift(u.get(), -mean / static_cast<double>(grid.rows())));
  }
  const Handle<Vec> error = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(u.get(), v); });
  CALL(VecCopy(u.get(), error.get()));  // PETSc 3.18.5 gives 0 for the second kind of norm of one vector
  Errors errors;
  CALL(VecNorm(u.get(), NORM_2, &errors.l2));
  CALL(VecNorm(error.get(), NORM_INFINITY, &errors.largest));
  errors.l2 /= std::sqrt(static_cast<double>(grid.rows()));
  const Manufactured solution(grid, boundary);
  for (int axis = 0; axis < grid.dimension; ++axis)
    errors.intervals *= std::pow(solution.length_m(axis) / grid.spacing_m[axis], 1.0 / grid.dimension);
  return errors;
}

// One of each PDE with values and, where the constants are those of one unknown, a singular one; in 3D, for
// the time it takes, where unknowns do not couple.
std::vector<PdeCase> cases_of_the_type() {
  std::vector<PdeCase> all = manufactured_cases();
  std::erase_if(all, [](const PdeCase& c) {
    const bool chosen = c.name.ends_with("_value") || (c.name.ends_with("_periodic") && c.dof == 1);
    return !chosen || c.stencil != default_stencil(c.pde->discretisation) ||
           (c.dimension == 3 && c.pde->discretisation.coupled);
  });
  return all;
}

class MatrixTypeOrder : public MatrixType, public testing::WithParamInterface<PdeCase> {};

TEST_P(MatrixTypeOrder, IsTheOneDeclared) {
  const PdeCase& c = GetParam();
  const std::int64_t few = c.dimension == 2 ? 64 : 24;
  const Errors coarse = errors_of(c, few);
  EXPECT_LT(coarse.l2, 0.24);
  if (sanitized) return;
  const Errors fine = errors_of(c, 2 * few);
  const double refined = std::log(fine.intervals / coarse.intervals);
  EXPECT_NEAR(std::log(coarse.l2 / fine.l2) / refined, c.pde->order, 0.1) << coarse.l2 << " to " << fine.l2;
  EXPECT_NEAR(std::log(coarse.largest / fine.largest) / refined, c.pde->order, c.dimension == 2 ? 0.1 : 0.2)
      << coarse.largest << " to " << fine.largest;
}

INSTANTIATE_TEST_SUITE_P(All, MatrixTypeOrder, testing::ValuesIn(cases_of_the_type()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace quadrille::type_test
