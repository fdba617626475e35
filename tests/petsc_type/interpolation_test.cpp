// What the matrix type makes of DMCreateInterpolation, against PETSc's own and against the tables of the
// whole grid.
#include <petsc/private/dmimpl.h>
#include "comparison.hpp"

#include "grid/axis_interpolation.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::type_test {
namespace {

// The coarse grid of a level, by its own partition where `uneven`; every rank has a node of both.
struct LevelCase {
  int dimension;
  std::array<PetscInt, 3> coarse;
  int ratio, dof;
  bool box;
  std::array<bool, 3> periodic;
  bool uneven = false;

  PetscInt fine(int axis) const {
    return periodic[axis] ? coarse[axis] * ratio : (coarse[axis] - 1) * ratio + 1;
  }
  std::string name() const {
    Case c{dimension, {fine(0), fine(1), fine(2)}, dof, 1, box, periodic};
    return c.name() + ", ratio " + std::to_string(ratio) + (uneven ? ", uneven" : "");
  }
};

const LevelCase level_cases[] = {
    {1, {7, 1, 1}, 2, 1, false, {}},
    {1, {6, 1, 1}, 3, 2, false, {true, false, false}},
    {2, {5, 4, 1}, 2, 1, false, {}},
    {2, {4, 5, 1}, 2, 3, true, {}},
    {2, {4, 6, 1}, 2, 1, false, {true, true, false}},
    {2, {7, 5, 1}, 3, 2, false, {true, false, false}},
    {3, {5, 4, 4}, 2, 1, false, {}},
    {3, {4, 4, 5}, 2, 2, true, {false, true, false}},
    {3, {4, 5, 6}, 2, 3, false, {true, true, true}},
    {3, {6, 4, 4}, 4, 1, false, {false, false, true}},
    {2, {9, 9, 1}, 2, 2, false, {}, true},
    {2, {8, 9, 1}, 2, 1, true, {true, false, false}, true},
};

Handle<DM> make_grid_of(const LevelCase& c, const std::array<PetscInt, 3>& nodes, const PetscInt* sizes,
                        MatType type) {
  const auto side = [&](int axis) { return c.periodic[axis] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE; };
  Handle<DM> dm = make<DM>("DMDACreate", [](DM* made) { return DMDACreate(PETSC_COMM_WORLD, made); });
  CALL(DMSetDimension(dm.get(), c.dimension));
  CALL(DMDASetSizes(dm.get(), nodes[0], nodes[1], nodes[2]));
  CALL(DMDASetBoundaryType(dm.get(), side(0), side(1), side(2)));
  CALL(DMDASetDof(dm.get(), c.dof));
  CALL(DMDASetStencilWidth(dm.get(), 1));
  CALL(DMDASetStencilType(dm.get(), c.box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR));
  if (sizes != nullptr) {
    CALL(DMDASetNumProcs(dm.get(), ranks(), 1, 1));
    CALL(DMDASetOwnershipRanges(dm.get(), sizes, nullptr, nullptr));
  }
  CALL(DMDASetRefinementFactor(dm.get(), c.ratio, c.ratio, c.ratio));
  CALL(DMSetFromOptions(dm.get()));  // takes the factor for coarsening as well
  CALL(DMSetMatType(dm.get(), type));
  CALL(DMSetUp(dm.get()));
  return dm;
}

struct Levels {
  Handle<DM> fine, coarse;
  Handle<Mat> matrix, interpolation;
  Handle<Vec> scale;
};

void interpolate_between(Levels& l) {
  Vec scale = nullptr;
  l.interpolation = make<Mat>("DMCreateInterpolation", [&](Mat* m) {
    return DMCreateInterpolation(l.coarse.get(), l.fine.get(), m, &scale);
  });
  l.scale.reset(scale);
}

Levels levels_of(const LevelCase& c, MatType type) {
  Levels l;
  std::vector<PetscInt> sizes(static_cast<std::size_t>(ranks()), 2);  // of all ranks but the last
  sizes.back() = c.fine(0) - 2 * (ranks() - 1);
  l.fine = make_grid_of(c, {c.fine(0), c.fine(1), c.fine(2)}, c.uneven ? sizes.data() : nullptr, type);
  l.matrix = make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(l.fine.get(), m); });
  l.coarse = make<DM>("DMCoarsen", [&](DM* dm) { return DMCoarsen(l.fine.get(), PETSC_COMM_WORLD, dm); });
  interpolate_between(l);
  return l;
}

bool is_shell(Mat m) {
  PetscBool shell = PETSC_FALSE;
  CALL(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(m), MATSHELL, &shell));
  return shell == PETSC_TRUE;
}

// Every product of both; x of the coarse and y of the fine grid.
void expect_same_products(Mat ours, Mat theirs) {
  const Handle<Vec> x = random_vector(ours, 1), y = random_vector(ours, 2, true);
  const auto each = [&](const char* what, bool fine, const std::function<void(Mat, Vec)>& act) {
    const Handle<Vec> a = random_vector(ours, 3, fine), b = random_vector(ours, 3, fine);
    act(ours, a.get());
    act(theirs, b.get());
    expect_near(a.get(), b.get(), what);
  };
  const auto nan = [](Vec v) { CALL(VecSet(v, std::nan(""))); };
  each("MatMult", true, [&](Mat p, Vec v) { nan(v), CALL(MatMult(p, x.get(), v)); });
  each("MatMultTranspose", false, [&](Mat p, Vec v) { nan(v), CALL(MatMultTranspose(p, y.get(), v)); });
  each("MatMultAdd", true, [&](Mat p, Vec v) { nan(v), CALL(MatMultAdd(p, x.get(), y.get(), v)); });
  each("MatMultAdd in place", true, [&](Mat p, Vec v) { CALL(MatMultAdd(p, x.get(), v, v)); });
  each("MatMultTransposeAdd", false,
       [&](Mat p, Vec v) { nan(v), CALL(MatMultTransposeAdd(p, y.get(), x.get(), v)); });
  each("MatMultTransposeAdd in place", false,
       [&](Mat p, Vec v) { CALL(MatMultTransposeAdd(p, y.get(), v, v)); });
  each("MatInterpolateAdd", true, [&](Mat p, Vec v) { CALL(MatInterpolateAdd(p, x.get(), y.get(), v)); });
  each("MatRestrict", false, [&](Mat p, Vec v) { nan(v), CALL(MatRestrict(p, y.get(), v)); });
}

TEST_F(MatrixType, InterpolationFromCoarsenedGridsIsDmdas) {
  for (const LevelCase& c : level_cases) {
    SCOPED_TRACE(c.name());
    const Levels ours = levels_of(c, "quadrille"), aij = levels_of(c, MATAIJ);
    EXPECT_TRUE(is_shell(ours.interpolation.get()));
    EXPECT_FALSE(is_shell(aij.interpolation.get()));
    expect_same_products(ours.interpolation.get(), aij.interpolation.get());
    expect_near(ours.scale.get(), aij.scale.get(), "the scale");
  }
}

TEST_F(MatrixType, GalerkinProductsWithTheInterpolationFollowNewValues) {
  for (const LevelCase& c : level_cases) {
    SCOPED_TRACE(c.name());
    const Levels ours = levels_of(c, "quadrille"), aij = levels_of(c, MATAIJ);
    const Case filled{c.dimension, {c.fine(0), c.fine(1), c.fine(2)}, c.dof, 1, c.box, c.periodic};
    Mat products[2] = {}, again[2] = {};
    for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
      for (int i = 0; i < 2; ++i) {
        const Levels& l = i == 0 ? ours : aij;
        fill(l.matrix.get(), l.fine.get(), filled, Filling::local, reuse == MAT_INITIAL_MATRIX ? 1 : 2);
        CALL(MatPtAP(l.matrix.get(), l.interpolation.get(), reuse, 2, &products[i]));
      }
      const Handle<Vec> x = random_vector(products[1], 1), a = random_vector(products[1], 2),
                        b = random_vector(products[1], 3);
      CALL(MatMult(products[0], x.get(), a.get()));
      CALL(MatMult(products[1], x.get(), b.get()));
      expect_near(a.get(), b.get(), "P^T A P");
    }
    // As on the level after, whose operator is AIJ.
    CALL(MatPtAP(aij.matrix.get(), ours.interpolation.get(), MAT_INITIAL_MATRIX, 2, &again[0]));
    CALL(MatPtAP(aij.matrix.get(), aij.interpolation.get(), MAT_INITIAL_MATRIX, 2, &again[1]));
    PetscReal norms[2] = {-1, -2};
    for (int i = 0; i < 2; ++i) CALL(MatNorm(again[i], NORM_FROBENIUS, &norms[i]));
    EXPECT_NEAR(norms[0], norms[1], 1e-12 * norms[1]);
    for (Mat* m : {products, products + 1, again, again + 1}) CALL(MatDestroy(m));
  }
}

// Coarse and fine boxes of ranks that do not lie over each other, for which PETSc has no interpolation:
// against the tables of the whole grid, in natural order.
TEST_F(MatrixType, InterpolationNeedsNoBoxesOverEachOther) {
  for (const bool periodic : {false, true}) {
    LevelCase c{2, {9, 7, 1}, 2, 2, false, {periodic, false, false}};
    SCOPED_TRACE(c.name());
    Levels l = levels_of(c, "quadrille");
    const auto offered = l.coarse->ops->createinterpolation;
    // The first rank has all coarse nodes but one for every other; of the fine ones the last has as many.
    std::vector<PetscInt> coarse_sizes(static_cast<std::size_t>(ranks()), 1), fine_sizes = coarse_sizes;
    coarse_sizes.front() = c.coarse[0] - (ranks() - 1);
    fine_sizes.back() = c.fine(0) - (ranks() - 1);
    l.coarse = make_grid_of(c, c.coarse, coarse_sizes.data(), "quadrille");
    l.coarse->ops->createinterpolation = offered;
    l.fine = make_grid_of(c, {c.fine(0), c.fine(1), 1}, fine_sizes.data(), "quadrille");
    interpolate_between(l);

    const auto value = [](PetscInt x, PetscInt y, PetscInt r) { return value_at(100 * y + x, r, 5); };
    const std::array<AxisInterpolation, 2> tables{dmda_interpolation(c.fine(0), c.coarse[0], periodic),
                                                  dmda_interpolation(c.fine(1), c.coarse[1], false)};
    const Handle<Vec> x = random_vector(l.interpolation.get(), 1),
                      y = random_vector(l.interpolation.get(), 2, true);
    PetscScalar*** at = nullptr;
    PetscInt x0, y0, nx, ny;
    CALL(DMDAGetCorners(l.coarse.get(), &x0, &y0, nullptr, &nx, &ny, nullptr));
    CALL(DMDAVecGetArrayDOF(l.coarse.get(), x.get(), &at));
    for (PetscInt j = y0; j < y0 + ny; ++j)
      for (PetscInt i = x0; i < x0 + nx; ++i)
        for (PetscInt r = 0; r < 2; ++r) at[j][i][r] = value(i, j, r);
    CALL(DMDAVecRestoreArrayDOF(l.coarse.get(), x.get(), &at));
    CALL(MatMult(l.interpolation.get(), x.get(), y.get()));
    CALL(DMDAGetCorners(l.fine.get(), &x0, &y0, nullptr, &nx, &ny, nullptr));
    CALL(DMDAVecGetArrayDOFRead(l.fine.get(), y.get(), &at));
    for (PetscInt j = y0; j < y0 + ny; ++j)
      for (PetscInt i = x0; i < x0 + nx; ++i)
        for (PetscInt r = 0; r < 2; ++r) {
          double expected = 0;
          for (const int k : {0, 1, 2, 3}) {
            const PetscInt kx = 2 * i + k % 2, ky = 2 * j + k / 2;
            expected += tables[0].weight[kx] * tables[1].weight[ky] *
                        value(tables[0].node[kx], tables[1].node[ky], r);
          }
          EXPECT_NEAR(at[j][i][r], expected, 1e-14) << "node " << i << ", " << j;
        }
    CALL(DMDAVecRestoreArrayDOFRead(l.fine.get(), y.get(), &at));

    // <P x, z> = <x, P^T z>
    const Handle<Vec> z = random_vector(l.interpolation.get(), 4, true),
                      ptz = random_vector(l.interpolation.get(), 5);
    PetscScalar left = 0, right = 1;
    CALL(MatMultTranspose(l.interpolation.get(), z.get(), ptz.get()));
    CALL(VecDot(y.get(), z.get(), &left));
    CALL(VecDot(x.get(), ptz.get(), &right));
    EXPECT_NEAR(left, right, 1e-12);
    EXPECT_GT(std::abs(left), 1e-6);
  }
}

// What is not linear interpolation between matching grids stays PETSc's, messages included; so does
// injection.
TEST_F(MatrixType, OtherTransfersStayPetscs) {
  const LevelCase c{2, {4, 4, 1}, 2, 2, true, {true, true, false}};
  Levels ours = levels_of(c, "quadrille"), aij = levels_of(c, MATAIJ);
  for (Levels* l : {&ours, &aij}) {
    CALL(DMDASetInterpolationType(l->coarse.get(), DMDA_Q0));
    interpolate_between(*l);
  }
  EXPECT_FALSE(is_shell(ours.interpolation.get()));
  expect_same_products(ours.interpolation.get(), aij.interpolation.get());
  const auto injection = [](const Levels& l) {
    return make<Mat>("DMCreateInjection",
                     [&](Mat* m) { return DMCreateInjection(l.coarse.get(), l.fine.get(), m); });
  };
  const Handle<Mat> a = injection(ours), b = injection(aij);
  const Handle<Vec> fine = random_vector(ours.interpolation.get(), 6, true);
  const Handle<Vec> to[] = {random_vector(ours.interpolation.get(), 7),
                            random_vector(ours.interpolation.get(), 8)};
  CALL(MatRestrict(a.get(), fine.get(), to[0].get()));
  CALL(MatRestrict(b.get(), fine.get(), to[1].get()));
  expect_near(to[0].get(), to[1].get(), "injection");

  const LevelCase other{2, {5, 4, 1}, 2, 1, true, {true, true, false}};
  const Levels others = levels_of(other, "quadrille");
  Mat none = nullptr;
  EXPECT_THROW(CALL(DMCreateInterpolation(others.coarse.get(), ours.fine.get(), &none, nullptr)), PetscError);
}

}  // namespace
}  // namespace quadrille::type_test
