// What -log_view says of products: the operations that PETSc counts for its own matrices.
#include <petsclog.h>

#include "comparison.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/registry.hpp"

namespace quadrille::type_test {
namespace {

// Operations of this rank while `act` runs, on the CPU or the GPU.
double flops_of(const std::function<void()>& act) {
  PetscLogDouble before = 0, after = 0;
  CALL(PetscGetFlops(&before));
  act();
  CALL(PetscGetFlops(&after));
  return after - before;
}

TEST_F(MatrixType, ProductsCountAsManyOperationsAsAijs) {
  for (const FormatEntry& entry : petsc::all_products()) {
    if (entry.space != space() || !entry.make_fp64) continue;
    SCOPED_TRACE(entry.name);
    for (const Case& c : cases(21, 3)) {
      SCOPED_TRACE(c.name());
      const Pair p = filled_pair(c, entry.name);
      const Handle<Vec> x = random_vector(p.theirs.get(), 1), y = random_vector(p.theirs.get(), 2);
      const bool transposes = std::string("csr csc dia cds").find(entry.name) != std::string::npos;
      double product[2], transposed[2] = {};
      int i = 0;
      p.both([&](Mat m) {
        product[i] = flops_of([&] { CALL(MatMult(m, x.get(), y.get())); });
        if (transposes) transposed[i] = flops_of([&] { CALL(MatMultTranspose(m, x.get(), y.get())); });
        ++i;
      });
      EXPECT_EQ(product[0], product[1]);
      EXPECT_EQ(transposed[0], transposed[1]);
      EXPECT_GT(product[1], 0);
    }
  }
}

TEST_F(MatrixType, TheEventOfProductsHasTheirOperations) {
  CALL(PetscLogDefaultBegin());
  const Pair p = filled_pair(cases(22, 1).front(), "cds");
  const Handle<Vec> x = random_vector(p.theirs.get(), 1), y = random_vector(p.theirs.get(), 2);
  PetscLogStage stage = -1;
  PetscLogEvent event = -1;
  CALL(PetscLogStageRegister("products of one matrix", &stage));
  CALL(PetscLogEventGetId("MatMult", &event));
  CALL(PetscLogStagePush(stage));
  double flops = 0;
  for (int i = 0; i < 3; ++i) flops += flops_of([&] { CALL(MatMult(p.ours.get(), x.get(), y.get())); });
  CALL(PetscLogStagePop());
  PetscEventPerfInfo info{};
  CALL(PetscLogEventGetPerfInfo(stage, event, &info));
  EXPECT_EQ(info.count, 3);
  EXPECT_EQ(info.flops, flops);
#if defined(PETSC_HAVE_DEVICE)
  // Of several ranks, the product with ghosts is on the GPU only where the vectors are.
  if (space() == SpaceKind::cuda && ranks() == 1) {
    EXPECT_EQ(info.GpuFlops, flops);
  } else if (cuda::device_count() == 0) {
    EXPECT_EQ(info.GpuFlops, 0);
  }
#endif
}

// Each fine row is a sum of its weights times coarse values.
TEST_F(MatrixType, InterpolationCountsItsOperations) {
  const Case c{2, {9, 9, 1}, 2, 1, true};
  const Grid fine = make_grid(c);
  const Handle<Mat> matrix = make_matrix(fine.get(), "cds");
  const Handle<DM> coarse =
      make<DM>("DMCoarsen", [&](DM* dm) { return DMCoarsen(fine.get(), PETSC_COMM_WORLD, dm); });
  const Handle<Mat> p = make<Mat>("DMCreateInterpolation", [&](Mat* m) {
    return DMCreateInterpolation(coarse.get(), fine.get(), m, nullptr);
  });
  PetscInt x0, y0, nx, ny;
  CALL(DMDAGetCorners(fine.get(), &x0, &y0, nullptr, &nx, &ny, nullptr));
  double weights = 0;
  for (PetscInt y = y0; y < y0 + ny; ++y)
    for (PetscInt x = x0; x < x0 + nx; ++x) weights += 2 * (1 + x % 2) * (1 + y % 2);
  const Handle<Vec> below = random_vector(p.get(), 1), above = random_vector(p.get(), 2, true);
  EXPECT_EQ(flops_of([&] { CALL(MatMult(p.get(), below.get(), above.get())); }), 2 * weights - 2 * nx * ny);
  const double down = flops_of([&] { CALL(MatMultTranspose(p.get(), above.get(), below.get())); });
  EXPECT_GE(down, 2 * weights);
  EXPECT_LE(down, 2 * weights + (ranks() > 1 ? 2 * 25 : 0));  // what other ranks gave back was added
}

}  // namespace
}  // namespace quadrille::type_test
