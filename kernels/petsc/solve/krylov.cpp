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
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"

namespace quadrille::petsc {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string in_words(KSPConvergedReason reason) {
  switch (static_cast<int>(reason)) {
    case KSP_CONVERGED_RTOL:
      return "the residual fell below the relative tolerance";
    case KSP_CONVERGED_ATOL:
      return "the residual fell below the absolute tolerance";
    case KSP_CONVERGED_ITS:
      return "the wanted number of iterations was done";
    case KSP_CONVERGED_HAPPY_BREAKDOWN:
      return "the method found the exact solution in its space";
    case KSP_DIVERGED_ITS:
      return "the largest number of iterations was reached (-ksp_max_it)";
    case KSP_DIVERGED_DTOL:
      return "the residual grew beyond the divergence tolerance (-ksp_divtol)";
    case KSP_DIVERGED_BREAKDOWN:
    case KSP_DIVERGED_BREAKDOWN_BICG:
      return "the method broke down; another one may not (-ksp_type)";
    case KSP_DIVERGED_NONSYMMETRIC:
      return "the method needs a symmetric operator and preconditioner (-ksp_type, -pc_type)";
    case KSP_DIVERGED_INDEFINITE_PC:
      return "the preconditioner is not positive definite (-pc_type)";
    case KSP_DIVERGED_NANORINF:
      return "a NaN or an infinity came up";
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "the operator is not positive definite (-ksp_type)";
    case KSP_DIVERGED_PC_FAILED:
      return "the preconditioner could not be set up (-pc_type)";
    default:
      return std::string("PETSc says ") + KSPConvergedReasons[reason];
  }
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

// PETSc (3.18.5 and 3.25.6) frees a vector twice after Chebyshev iterations as the outer method, with its own
// matrices as well.
void refuse_crashing_method(KSP ksp) {
  PetscBool chebyshev = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPCHEBYSHEV, &chebyshev));
  if (chebyshev)
    throw PetscOptionError("-ksp_type chebyshev as the outer method crashes in PETSc; choose another one");
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

// Whether other options would have helped. Not where the machine, a library or an operator of ours failed,
// which no option chose.
bool options_may_be_to_blame(const PetscError& error) {
  switch (static_cast<PetscErrorCode>(error.code)) {
    case PETSC_ERR_MEM:
    case PETSC_ERR_MEMC:
    case PETSC_ERR_GPU:
    case PETSC_ERR_GPU_RESOURCE:
    case PETSC_ERR_LIB:
    case PETSC_ERR_MPI:
    case PETSC_ERR_SYS:
    case PETSC_ERR_SIG:
    case PETSC_ERR_FP:
      return false;
    default:
      return error.code != 0;
  }
}

// A preconditioner that failed halfway may still stand in the place of the matrix (PCEISENSTAT), and PETSc
// crashes when it destroys that: such a solver stays, where a look for leaks sees it.
void abandon(Handle<KSP>& solver, Mat matrix) {
  if (!solver) return;
  Mat now = nullptr;
  QUADRILLE_PETSC(KSPGetOperators(solver.get(), &now, nullptr));
  static auto* const abandoned = new std::vector<KSP>;  // not destroyed at the end, or the look finds leaks
  if (now == matrix)
    solver.reset();
  else
    abandoned->push_back(solver.release());
}

// AIJ, or a matrix of ours that lends itself as AIJ.
bool takes_every_preconditioner(Mat matrix) {
  PetscBool aij = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(matrix), &aij, MATSEQAIJ, MATMPIAIJ,
                                            "seqaijcusparse", "mpiaijcusparse", ""));
  return aij || is_typed(matrix);
}

[[noreturn]] void put_down_to_options(const PetscError& error, bool takes_every_one) {
  const bool diverged = error.code == PETSC_ERR_NOT_CONVERGED || error.code == PETSC_ERR_CONV_FAILED;
  if (diverged)
    throw NotConvergedError("the solve did not converge: " + std::string(error.what()), error.code);
  const char* const advice =
      ", and choose preconditioners that need products, rows and diagonal blocks alone, such as jacobi, "
      "pbjacobi, mg (by itself) "
      "or none; matrices of type quadrille and AIJ take others";
  throw PetscOptionError(std::string(error.what()) + "; correct what follows the bare --" +
                         (takes_every_one ? "" : advice));
}

// body(), which works with `solver`: PETSc's errors are put down to its options where there are some that
// may be the reason.
template <class Body>
void with_options_to_blame(const KrylovProblem& problem, Handle<KSP>& solver, Mat matrix, const Body& body) {
  try {
    body();
  } catch (const PetscOptionError&) {
    throw;
  } catch (const PetscError& error) {
    abandon(solver, matrix);
    if (!problem.has_options || !options_may_be_to_blame(error)) throw;
    put_down_to_options(error, takes_every_preconditioner(matrix));
  }
}

// Options of PETSc after which there would be no answer to look at: a solve that does not converge is an
// answer, and the residual is that of the system that was asked for.
void keep_answers_comparable(KSP ksp) {
  PetscBool scaled = PETSC_FALSE;
  QUADRILLE_PETSC(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  QUADRILLE_PETSC(KSPGetDiagonalScale(ksp, &scaled));
  if (scaled) QUADRILLE_PETSC(KSPSetDiagonalScaleFix(ksp, PETSC_TRUE));
}

bool is_given(const char* option) {
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsHasName(nullptr, nullptr, option, &given));
  return given;
}

// Unless the options say which residual is tested. Other methods than the one that the default is for may
// know no such test.
void test_true_residual(KSP ksp, const char* method) {
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), method, &ours));
  if (ours && !is_given("-ksp_norm_type")) QUADRILLE_PETSC(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
}

GridLevelCount set_levels(PC pc, const KrylovProblem& problem, Mat matrix, int levels) {
  if (!problem.on_grid) throw PetscOptionError("-pc_type mg: this operator comes without a grid");
  return set_grid_levels(pc, matrix, problem.on_grid.get(), levels, problem.constants_are_null);
}

std::string in_words(const GridLevelCount& made) {
  return std::to_string(made.levels) + (made.levels == 1 ? " level of " : " levels down to ") +
         std::to_string(made.coarsest) + " unknowns, coarse operators P^T A P";
}

// Everything before the first iteration.
Handle<KSP> set_up(const KrylovProblem& problem, Mat matrix, Watch& watched, GridLevelCount& made) {
  Handle<KSP> solver = make<KSP>("KSPCreate", [=](KSP* k) {
    return KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), k);
  });
  KSP ksp = solver.get();
  PC preconditioner = nullptr;
  const SolverDefaults defaults = defaults_of(problem);
  const MultigridRequest multigrid = multigrid_request(defaults.preconditioner);
  const bool by_operator = problem.on_grid && multigrid.kind == Multigrid::by_operator,
             by_petsc = multigrid.kind == Multigrid::by_petsc;
  QUADRILLE_PETSC(KSPSetOperators(ksp, matrix, by_operator ? problem.on_grid.get() : matrix));
  QUADRILLE_PETSC(KSPSetType(ksp, defaults.method));
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  QUADRILLE_PETSC(PCSetType(preconditioner, defaults.preconditioner));
  QUADRILLE_PETSC(KSPSetTolerances(ksp, defaults.tolerance, 0, PETSC_DEFAULT, PETSC_DEFAULT));
  with_options_to_blame(problem, solver, matrix, [&] {
    if (by_petsc) made = set_levels(preconditioner, problem, matrix, multigrid.levels);
    QUADRILLE_PETSC(KSPSetFromOptions(ksp));
    if (defaults.tests_true_residual) test_true_residual(ksp, defaults.method);
    keep_answers_comparable(ksp);
    if (by_petsc) keep_operators(preconditioner);
    QUADRILLE_PETSC(KSPSetUp(ksp));
  });
  refuse_crashing_method(ksp);
  QUADRILLE_PETSC(KSPGetTolerances(ksp, &watched.tolerance, nullptr, nullptr, nullptr));
  if (watched.monitor) QUADRILLE_PETSC(KSPMonitorSet(ksp, watch, &watched, nullptr));
  return solver;
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
  GridLevelCount made{0};
  Handle<KSP> ksp = set_up(problem, matrix.get(), watched, made);
  const bool on_gpu = multiplies_on_gpu(matrix.get());
  with_options_to_blame(problem, ksp, matrix.get(), [&] {
    if (on_gpu) warm_up(ksp.get(), matrix.get(), right_side.get(), solution.get());
  });
  KrylovResult result;
  result.setup_s = longest(solution.get(), seconds_since(start));

  const auto begin = std::chrono::steady_clock::now();
  with_options_to_blame(problem, ksp, matrix.get(),
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
  result.multigrid = made.levels > 0 ? in_words(made) : grid_multigrid_text(preconditioner);
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
