#include "kernels/petsc/solve/krylov.hpp"

#include <petscksp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"

namespace quadrille::petsc {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string in_words(const GridLevelCount& made) {
  return std::to_string(made.levels) + (made.levels == 1 ? " level of " : " levels down to ") +
         std::to_string(made.coarsest) + " unknowns, coarse operators P^T A P";
}

Handle<Vec> like(Vec model) {
  return make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); });
}

// A vector that the matrix multiplies, in the memory it wants.
Handle<Vec> vector_for(Mat matrix) {
  return make<Vec>("MatCreateVecs", [=](Vec* v) { return MatCreateVecs(matrix, v, nullptr); });
}

MPI_Comm comm_of(Vec vector) {
  return PetscObjectComm(reinterpret_cast<PetscObject>(vector));
}

struct Watch {
  const KrylovMonitor& monitor;
  double first = 0, tolerance = 0;
};

PetscErrorCode watch(KSP, PetscInt iteration, PetscReal residual, void* context) {
  return guarded("the monitor of quadrille", [&] {
    Watch& w = *static_cast<Watch*>(context);
    if (iteration == 0) w.first = residual;
    w.monitor(static_cast<int>(iteration), w.first > 0 ? residual / w.first : residual, w.tolerance);
  });
}

// Applies the preconditioner and the operator once, so that what PETSc copies to the GPU or computes when it
// is first needed is there before the solve.
void warm_up(KSP ksp, Mat matrix, Vec b, Vec x) {
  PC preconditioner = nullptr;
  const Handle<Vec> y = like(x);
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  QUADRILLE_PETSC(PCApply(preconditioner, b, y.get()));
  QUADRILLE_PETSC(MatMult(matrix, y.get(), x));
  // PETSc starts cuBLAS at the first of these, which takes some 10 ms.
  PetscScalar product = 0;
  PetscReal norm = 0;
  QUADRILLE_PETSC(VecTDot(x, y.get(), &product));
  QUADRILLE_PETSC(VecNorm(y.get(), NORM_2, &norm));
  QUADRILLE_PETSC(VecAXPY(y.get(), 1, x));
  QUADRILLE_PETSC(VecAYPX(y.get(), 1, x));
  QUADRILLE_PETSC(VecSet(x, 0));
}

std::int64_t bytes_of(const std::vector<double>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(double));
}

// Straight from and to GPU memory where the vector is there: its array in host memory is never made.
void copy_into(Vec vector, const std::vector<double>& values) {
  const WriteArray to(vector, SpaceKind::cuda);
  if (to.space() == SpaceKind::cuda)
    memory::copy_to_device(to.data(), values.data(), bytes_of(values));
  else
    std::copy(values.begin(), values.end(), to.data());
}

void copy_out_of(Vec vector, std::vector<double>& values) {
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &size));
  const ReadArray from(vector, SpaceKind::cuda);
  values.resize(static_cast<std::size_t>(size));
  if (from.space() == SpaceKind::cuda)
    memory::copy_to_host(values.data(), from.data(), bytes_of(values));
  else
    std::copy(from.data(), from.data() + size, values.begin());
}

// The norms below are not VecNorm's: PETSc 3.18.5 keeps the norms of a vector, and after one kind of norm
// gives 0 for every other kind until the vector changes.

// body(values, size) with what a vector of this rank holds.
template <class Body>
double over_values(Vec vector, const Body& body) {
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &size));
  const ReadArray values(vector);
  return body(values.data(), size);
}

double largest_of(Vec vector) {
  const double mine = over_values(vector, [](const PetscScalar* values, PetscInt size) {
    double largest = 0;
    for (PetscInt i = 0; i < size; ++i) largest = std::max(largest, std::abs(values[i]));
    return largest;
  });
  double all = mine;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm_of(vector));
  return all;
}

// The 2-norm over `unit`, each entry divided first: the squares of very small or large ones are no numbers.
double norm_over(Vec vector, double unit) {
  const double mine = over_values(vector, [=](const PetscScalar* values, PetscInt size) {
    double sum = 0;
    for (PetscInt i = 0; i < size; ++i) sum += (values[i] / unit) * (values[i] / unit);
    return sum;
  });
  double all = mine;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm_of(vector));
  return std::sqrt(all);
}

// |b - A x| / |b|, or the numerator where b is zero.
double true_residual(Mat matrix, Vec b, Vec x) {
  const Handle<Vec> r = like(b);
  QUADRILLE_PETSC(MatMult(matrix, x, r.get()));
  QUADRILLE_PETSC(VecAYPX(r.get(), -1, b));
  const double largest = largest_of(b);
  return largest > 0 ? norm_over(r.get(), largest) / norm_over(b, largest) : norm_over(r.get(), 1);
}

// Of the ranks of the vector.
double longest(Vec vector, double seconds) {
  double all = seconds;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, comm_of(vector));
  return all;
}

// The median of at least 5 calls, or more until a fifth of a second is over.
template <class Call>
double median_ms(Vec x, bool on_gpu, const Call& call) {
  const Handle<Vec> y = like(x);
  std::vector<double> ms;
  double total_ms = 0;
  while (ms.size() < 5 || (ms.size() < 100 && total_ms < 200)) {
    const auto start = std::chrono::steady_clock::now();
    call(y.get());
    if (on_gpu) cuda::synchronize();
    ms.push_back(1e3 * longest(y.get(), seconds_since(start)));
    total_ms += ms.back();
  }
  std::nth_element(ms.begin(), ms.begin() + static_cast<std::ptrdiff_t>(ms.size() / 2), ms.end());
  return ms[ms.size() / 2];
}

// With vectors there, or copied there and back.
bool multiplies_on_gpu(Mat matrix) {
  VecType vectors = nullptr;
  QUADRILLE_PETSC(MatGetVecType(matrix, &vectors));
  if (vectors != nullptr && std::string_view(vectors).find("cuda") != std::string_view::npos) return true;
  return is_typed(matrix) && typed(matrix).scaled(matrix).op()->space() == SpaceKind::cuda;
}

void measure_multigrid(const KrylovProblem& problem, KSP ksp, PC pc, Vec b, bool on_gpu,
                       KrylovResult& result) {
  result.cycle_ms = median_ms(b, on_gpu, [&](Vec y) { QUADRILLE_PETSC(PCApply(pc, b, y)); });
  const GridMultigridInfo* const info = grid_multigrid_info(pc);
  if (info == nullptr) return;
  result.cycle_bytes = info->cycle_bytes;
  if (is_typed(problem.matrix.get()))
    result.product_bytes = own_product(problem.matrix.get())->traffic().compulsory_bytes();
  if (!problem.times_second_set_up) return;
  Mat a = nullptr, p = nullptr;
  QUADRILLE_PETSC(KSPGetOperators(ksp, &a, &p));
  mark_changed(p);
  QUADRILLE_PETSC(KSPSetOperators(ksp, a, p));
  const auto start = std::chrono::steady_clock::now();
  QUADRILLE_PETSC(KSPSetUp(ksp));
  if (on_gpu) cuda::synchronize();
  result.setup_again_ms = 1e3 * longest(b, seconds_since(start));
}

void require_rows(Mat matrix, std::int64_t rows) {
  PetscInt found = 0, columns = 0;
  QUADRILLE_PETSC(MatGetLocalSize(matrix, &found, &columns));
  if (found != rows || columns != rows)
    throw FormatError("the right side has " + std::to_string(rows) + " numbers, the operator is " +
                      std::to_string(found) + " x " + std::to_string(columns));
}

}  // namespace

SolverDefaults defaults_of(const KrylovProblem& problem) {
  if (!problem.on_grid) return solver_defaults(Multigrid::none);
  const bool own = problem.on_grid == problem.matrix && grid_multigrid_takes(problem.matrix.get());
  return solver_defaults(own ? Multigrid::by_operator : Multigrid::by_petsc);
}

KrylovResult krylov_solve(const KrylovProblem& problem, std::vector<double>& b, std::vector<double>& x,
                          const KrylovMonitor& monitor) {
  const auto start = std::chrono::steady_clock::now();
  const SharedMat& matrix = problem.matrix;
  require_rows(matrix.get(), static_cast<std::int64_t>(b.size()));
  const Handle<Vec> right_side = vector_for(matrix.get()), solution = vector_for(matrix.get());
  copy_into(right_side.get(), b);
  if (problem.constants_are_null) {
    const Handle<MatNullSpace> null_space = constants(right_side.get(), block_size_of(matrix.get()));
    QUADRILLE_PETSC(MatSetNullSpace(matrix.get(), null_space.get()));
    QUADRILLE_PETSC(MatNullSpaceRemove(null_space.get(), right_side.get()));
    copy_out_of(right_side.get(), b);
  }
  Watch watched{monitor};
  KrylovSolver solver = make_solver(problem);
  Handle<KSP>& ksp = solver.ksp;
  QUADRILLE_PETSC(KSPGetTolerances(ksp.get(), &watched.tolerance, nullptr, nullptr, nullptr));
  if (monitor) QUADRILLE_PETSC(KSPMonitorSet(ksp.get(), watch, &watched, nullptr));
  const bool on_gpu = multiplies_on_gpu(matrix.get());
  with_options_to_blame(problem, ksp, [&] {
    if (on_gpu) warm_up(ksp.get(), matrix.get(), right_side.get(), solution.get());
  });
  KrylovResult result;
  result.setup_s = longest(solution.get(), seconds_since(start));

  const auto begin = std::chrono::steady_clock::now();
  with_options_to_blame(problem, ksp,
                        [&] { QUADRILLE_PETSC(KSPSolve(ksp.get(), right_side.get(), solution.get())); });
  if (on_gpu) cuda::synchronize();
  result.solve_s = longest(solution.get(), seconds_since(begin));
  copy_out_of(solution.get(), x);
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  QUADRILLE_PETSC(KSPGetConvergedReason(ksp.get(), &reason));
  QUADRILLE_PETSC(KSPGetIterationNumber(ksp.get(), &iterations));
  result.iterations = static_cast<int>(iterations);
  result.tolerance = watched.tolerance;
  result.reason = in_words(reason);
  KSPType method = nullptr;
  PC preconditioner = nullptr;
  PCType preconditioner_type = nullptr;
  QUADRILLE_PETSC(KSPGetType(ksp.get(), &method));
  QUADRILLE_PETSC(KSPGetPC(ksp.get(), &preconditioner));
  QUADRILLE_PETSC(PCGetType(preconditioner, &preconditioner_type));
  result.method = method;
  result.preconditioner = preconditioner_type;
  result.multigrid = solver.levels.levels > 0 ? in_words(solver.levels) : grid_multigrid_text(preconditioner);
  result.residual = true_residual(matrix.get(), right_side.get(), solution.get());
  result.converged = reason > 0 && result.residual <= std::sqrt(std::max(result.tolerance, 1e-8));
  if (reason > 0 && !result.converged)
    result.reason =
        "PETSc's own test was met, but not by |b - A x| / |b|; the operator may be singular or badly scaled, "
        "and -ksp_norm_type unpreconditioned tests the true residual";
  result.matmult_ms = median_ms(solution.get(), on_gpu,
                                [&](Vec y) { QUADRILLE_PETSC(MatMult(matrix.get(), solution.get(), y)); });
  if (!result.multigrid.empty())
    measure_multigrid(problem, ksp.get(), preconditioner, right_side.get(), on_gpu, result);
  return result;
}

}  // namespace quadrille::petsc
