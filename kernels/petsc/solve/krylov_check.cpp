#include <petscksp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"
#include "kernels/petsc/solve/vectors.hpp"

namespace quadrille::petsc {
namespace {

// VecNorm() is not asked: PETSc 3.18.5 keeps the norms of a vector, and after one kind of norm gives 0 for
// every other kind until the vector changes.
double largest_of(Vec vector) {
  PetscReal least = 0, most = 0;
  QUADRILLE_PETSC(VecMin(vector, nullptr, &least));
  QUADRILLE_PETSC(VecMax(vector, nullptr, &most));
  return std::max(std::abs(least), std::abs(most));
}

// The 2-norm over `unit`, of a vector that is scaled for it: the squares of very small or large numbers are
// no numbers.
double norm_over(Vec vector, double unit) {
  PetscScalar squares = 0;
  QUADRILLE_PETSC(VecScale(vector, 1 / unit));
  QUADRILLE_PETSC(VecDot(vector, vector, &squares));
  return std::sqrt(squares);
}

// |b - A x| / |b|, or the numerator where b is zero. `multiply(x, y)` is y = A x.
template <class Multiply>
double true_residual(Vec b, Vec x, const Multiply& multiply) {
  const Handle<Vec> r = like(b);
  multiply(x, r.get());
  QUADRILLE_PETSC(VecAYPX(r.get(), -1, b));
  const double largest = largest_of(b);
  if (!(largest > 0)) return norm_over(r.get(), 1);
  const double unit = std::max(largest, std::numeric_limits<double>::min()), of_r = norm_over(r.get(), unit);
  QUADRILLE_PETSC(VecCopy(b, r.get()));
  return of_r / norm_over(r.get(), unit);
}

// Whether b - A x, as a part of b, is no more than what rounding makes of A x in double: of |A| |x|, which
// is at least what the diagonal adds to it. With coefficients that jump by 1e6 that may be far above 1e-8 of
// b, and no x is better.
bool is_rounding(Mat matrix, Vec b, Vec x, double residual) {
  constexpr double rounding = 1e-14;  // fifty times the last bit
  const Handle<Vec> of_b = like(b), of_x = like(x);
  QUADRILLE_PETSC(VecCopy(b, of_b.get()));
  QUADRILLE_PETSC(MatGetDiagonal(matrix, of_x.get()));
  QUADRILLE_PETSC(VecPointwiseMult(of_x.get(), of_x.get(), x));
  const double unit_b = largest_of(of_b.get()), unit_x = largest_of(of_x.get());
  if (!(unit_b > 0 && unit_x > 0 && std::isfinite(unit_b) && std::isfinite(unit_x))) return false;
  const double part = norm_over(of_b.get(), unit_b) / norm_over(of_x.get(), unit_x) * (unit_b / unit_x);
  return residual * part <= rounding;
}

// The median of at least 5 calls, or more until so many milliseconds are over.
template <class Call>
double median_ms(Vec x, bool on_gpu, double enough_ms, const Call& call) {
  const Handle<Vec> y = like(x);
  std::vector<double> ms;
  double total_ms = 0;
  while (ms.size() < 5 || (ms.size() < 100 && total_ms < enough_ms)) {
    const auto start = std::chrono::steady_clock::now();
    call(y.get());
    if (on_gpu) cuda::synchronize();
    ms.push_back(1e3 * longest(y.get(), seconds_since(start)));
    total_ms += ms.back();
  }
  std::nth_element(ms.begin(), ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2), ms.end());
  return ms[ms.size() / 2];
}

// What an application of the preconditioner must move on this rank, where it is known.
std::optional<std::int64_t> bytes_of(PC pc, Vec x) {
  if (const GridMultigridInfo* const info = grid_multigrid_info(pc)) return info->cycle_bytes;
  PetscBool parts = PETSC_FALSE, diagonal = PETSC_FALSE, blocks = PETSC_FALSE, none = PETSC_FALSE;
  const auto object = reinterpret_cast<PetscObject>(pc);
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, PCFIELDSPLIT, &parts));
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, PCJACOBI, &diagonal));
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(object, &blocks, PCPBJACOBI, "quadrille_pbjacobi", ""));
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, PCNONE, &none));
  PetscInt rows = 0, block = 1;
  QUADRILLE_PETSC(VecGetLocalSize(x, &rows));
  QUADRILLE_PETSC(VecGetBlockSize(x, &block));
  if (none || diagonal || blocks) return std::int64_t{8} * rows * (2 + (blocks ? block : diagonal ? 1 : 0));
  if (!parts) return {};
  PetscInt count = 0;
  KSP* of_parts = nullptr;
  QUADRILLE_PETSC(PCFieldSplitGetSubKSP(pc, &count, &of_parts));
  std::optional<std::int64_t> sum = 0;
  for (PetscInt i = 0; i < count; ++i) {
    PC part = nullptr;
    QUADRILLE_PETSC(KSPGetPC(of_parts[i], &part));
    const std::optional<std::int64_t> bytes =
        grid_multigrid_info(part) != nullptr ? bytes_of(part, x) : std::nullopt;
    sum = sum && bytes ? std::optional(*sum + *bytes) : std::nullopt;
  }
  QUADRILLE_PETSC(PetscFree(of_parts));
  return sum;
}

}  // namespace

void confirm(const KrylovProblem& problem, Vec b, Vec x, KrylovResult& result) {
  const Mat matrix = problem.matrix.get();
  result.residual = true_residual(b, x, [=](Vec from, Vec to) { multiply_exactly(matrix, from, to); });
  double of_solved = result.residual;
  if (value_error(matrix) > 0)
    of_solved = true_residual(b, x, [=](Vec from, Vec to) { QUADRILLE_PETSC(MatMult(matrix, from, to)); });
  if (!result.converged || of_solved <= std::sqrt(std::max(result.tolerance, 1e-8))) return;
  if (is_rounding(matrix, b, x, of_solved)) return;
  result.converged = false;
  result.reason =
      "PETSc's own test was met, but not by |b - A x| / |b|; the operator may be singular or badly scaled, "
      "and -ksp_norm_type unpreconditioned tests the true residual";
}

KrylovTimes measure(KSP ksp, Vec b, Vec x, bool for_record) {
  const double enough_ms = for_record ? 200 : 20;
  KrylovTimes times;
  PetscBool has_matrix = PETSC_FALSE, is_pcmg = PETSC_FALSE;
  QUADRILLE_PETSC(KSPGetOperatorsSet(ksp, &has_matrix, nullptr));
  if (!has_matrix) return times;
  Mat matrix = nullptr, p = nullptr;
  PC pc = nullptr;
  QUADRILLE_PETSC(KSPGetOperators(ksp, &matrix, &p));
  QUADRILLE_PETSC(KSPGetPC(ksp, &pc));
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCMG, &is_pcmg));
  const bool on_gpu = multiplies_on_gpu(matrix);
  times.matmult_ms = median_ms(x, on_gpu, enough_ms, [&](Vec y) { QUADRILLE_PETSC(MatMult(matrix, x, y)); });
  if (is_typed(matrix)) times.product_bytes = own_product(matrix)->traffic().compulsory_bytes();
  times.cycle_bytes = bytes_of(pc, x);
  if (grid_multigrid_info(pc) == nullptr && !is_pcmg) return times;
  times.cycle_ms = median_ms(b, on_gpu, enough_ms, [&](Vec y) { QUADRILLE_PETSC(PCApply(pc, b, y)); });
  const GridMultigridInfo* const info = grid_multigrid_info(pc);  // PCApply() may have set it up anew
  if (info == nullptr) return times;
  times.cycle_bytes = info->cycle_bytes;
  if (!for_record) return times;
  mark_changed(p);
  QUADRILLE_PETSC(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  QUADRILLE_PETSC(KSPSetOperators(ksp, matrix, p));
  if (on_gpu) cuda::synchronize();  // which gives back what the vectors above had, 0.3 ms
  const auto start = std::chrono::steady_clock::now();
  QUADRILLE_PETSC(KSPSetUp(ksp));
  if (on_gpu) cuda::synchronize();
  times.setup_again_ms = 1e3 * longest(b, seconds_since(start));
  return times;
}

}  // namespace quadrille::petsc
