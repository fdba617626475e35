#include "kernels/petsc/solve/conjugate_gradients.hpp"

// PETSc has no public way to a KSP of one's own.
#include <petsc/private/kspimpl.h>

#include <array>
#include <cmath>
#include <memory>

#include "kernels/conjugate_gradients.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/solve/vectors.hpp"

namespace quadrille::petsc {
namespace {

constexpr const char* type_name = "quadrille_cg";

class Solve;

// What stays with a KSP from one solve to the next: memory that takes a GPU a millisecond to have.
struct Kept {
  std::unique_ptr<ConjugateGradients> passes;
  SpaceKind space = SpaceKind::cpu;
  std::int64_t rows = -1;
  Solve* running = nullptr;
  // Of rows of the matrix that have nothing but their diagonal its inverse, else 0; and when it was of those.
  Handle<Vec> alone = nullptr;
  PetscObjectId alone_of = 0;
  PetscObjectState alone_at = 0;
};
Kept& kept(KSP ksp) {
  return *static_cast<Kept*>(ksp->data);
}

// For vectors in this memory.
ConjugateGradients* passes_of(KSP ksp, SpaceKind space, std::int64_t rows) {
  Kept& k = kept(ksp);
  if (!k.passes || k.space != space || k.rows != rows)
    k = {make_conjugate_gradients(space, rows), space, rows, k.running};
  return k.passes.get();
}

// Where all of the work vectors are, in which nothing stands yet.
SpaceKind space_of_work(KSP ksp) {
  SpaceKind space = SpaceKind::cuda;
  for (PetscInt i = 0; i < ksp->nwork; ++i)
    if (WriteArray(ksp->work[i], SpaceKind::cuda).space() == SpaceKind::cpu) space = SpaceKind::cpu;
  return space;
}

std::int64_t rows_of(Vec v) {
  PetscInt rows = 0;
  QUADRILLE_PETSC(VecGetLocalSize(v, &rows));
  return rows;
}

struct AskDot {
  AskDot(ScaledOperator* op, ScaledOperator::Dot& dot) : op_(op) {
    if (op_ != nullptr) op_->ask_dot(&dot);
  }
  ~AskDot() {
    if (op_ != nullptr) op_->ask_dot(nullptr);
  }
  AskDot(const AskDot&) = delete;
  AskDot& operator=(const AskDot&) = delete;

 private:
  ScaledOperator* op_;
};

// q = A p, and (p, q) to `dots` where A gives it in the same pass; whether it did.
bool multiply_with_dot(KSP ksp, Mat a, Vec p, Vec q, double* dots) {
  ScaledOperator* const op = dots != nullptr ? scaled_behind(a) : nullptr;
  ScaledOperator::Dot dot{dots};
  const AskDot ask(op, dot);
  QUADRILLE_PETSC(KSP_MatMult(ksp, a, p, q));
  return dot.made;
}

// A solve. Vectors are PETSc's, which may copy them at a call; so their arrays are asked for at each pass.
class Solve {
 public:
  explicit Solve(KSP ksp)
      : ksp_(ksp), x_(ksp->vec_sol), r_(ksp->work[0]), z_(ksp->work[1]), p_(ksp->work[2]) {
    QUADRILLE_PETSC(PCGetOperators(ksp->pc, &a_, nullptr));
    rows_ = rows_of(x_);
    if (ReadArray(x_, SpaceKind::cuda).space() == SpaceKind::cuda) space_ = space_of_work(ksp);
    passes_ = passes_of(ksp, space_, rows_);
    int size = 1;
    MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &size);
    alone_ = size == 1;
  }

  void run() {
    if (pc_failed()) return give_up(KSP_DIVERGED_PC_FAILED, "the preconditioner could not be set up");
    begin();
    iterate_on();
    if (ksp_->reason == KSP_DIVERGED_INDEFINITE_PC && grid_multigrid_takes_fp64(ksp_->pc)) {
      // What an M that is not definite has made of x can be worse than nothing.
      if (ksp_->guess_zero) {
        x_lacks_ = false;
        QUADRILLE_PETSC(VecSet(x_, 0));
      }
      begin_again();
      iterate_on();
    }
    if (ksp_->reason == KSP_CONVERGED_ITERATING) ksp_->reason = KSP_DIVERGED_ITS;
    catch_up();
  }
  // x is a step behind else.
  void catch_up() {
    if (!x_lacks_) return;
    const GpuTime time(on_gpu());
    const ReadArray p(p_, space_);
    const ReadWriteArray x(x_, space_);
    passes_->finish(queue(), p.data(), x.data());
    log_flops(2 * rows_, on_gpu());
    x_lacks_ = false;
  }

 private:
  Queue queue() const { return space_ == SpaceKind::cuda ? current_queue() : Queue{}; }

  // r = b - A x, z = M r, and the test before the first iteration.
  void begin() {
    ksp_->its = 0;
    if (ksp_->guess_zero)
      QUADRILLE_PETSC(VecCopy(ksp_->vec_rhs, r_));
    else
      make_residual();
    const PetscReal norm = ksp_->normtype == KSP_NORM_UNPRECONDITIONED ? norm_of_r() : 0;
    passes_->begin(queue());
    if (ksp_->normtype == KSP_NORM_UNPRECONDITIONED || ksp_->normtype == KSP_NORM_NONE) test(norm);
    if (ksp_->reason == KSP_CONVERGED_ITERATING && has_walls()) solve_alone();
    if (ksp_->reason == KSP_CONVERGED_ITERATING) precondition();
  }

  bool has_walls() const {
    const GridMultigridInfo* const made = grid_multigrid_info(ksp_->pc);
    return made != nullptr && made->has_walls;
  }
  // Rows that hold a value, written beside others that couple with it, make a matrix that is not symmetric.
  // Where they are fulfilled from the beginning they stay so, for M gives nothing to them where r has
  // nothing, and what is left is symmetric.
  void solve_alone() {
    const Vec alone = find_alone();
    {
      const GpuTime time(on_gpu());
      const ReadArray w(alone, space_), r(r_, space_);
      passes_->multiply(queue(), w.data(), r.data(), WriteArray(p_, space_).data());
    }
    QUADRILLE_PETSC(KSP_MatMult(ksp_, a_, p_, z_));
    ConjugateGradientSums one;  // a step of alpha = 1
    one.rz = one.pq = 1;
    one.iterations = 1;
    passes_->set_sums(queue(), one);
    {
      const GpuTime time(on_gpu());
      const ReadArray q(z_, space_);
      passes_->step(queue(), q.data(), ReadWriteArray(r_, space_).data());
    }
    x_lacks_ = true;
    catch_up();
    passes_->begin(queue());
  }
  Vec find_alone() {
    Kept& k = kept(ksp_);
    const auto object = reinterpret_cast<PetscObject>(a_);
    PetscObjectId id = 0;
    PetscObjectState state = 0;
    QUADRILLE_PETSC(PetscObjectGetId(object, &id));
    QUADRILLE_PETSC(PetscObjectStateGet(object, &state));
    if (k.alone && k.alone_of == id && k.alone_at == state) return k.alone.get();
    if (!k.alone) k.alone = like(p_);
    const Vec w = k.alone.get();
    passes_->draw(queue(), WriteArray(p_, space_).data());
    QUADRILLE_PETSC(KSP_MatMult(ksp_, a_, p_, z_));
    QUADRILLE_PETSC(MatGetDiagonal(a_, w));
    {
      const GpuTime time(on_gpu());
      const ReadArray p(p_, space_), q(z_, space_);
      passes_->find_alone(queue(), p.data(), q.data(), ReadWriteArray(w, space_).data());
    }
    k.alone_of = id, k.alone_at = state;
    return w;
  }

  void make_residual() {
    QUADRILLE_PETSC(KSP_MatMult(ksp_, a_, x_, r_));
    QUADRILLE_PETSC(VecAYPX(r_, -1, ksp_->vec_rhs));
  }
  // From the x that there is, with another M: coefficients of large contrasts can make one in fp32
  // indefinite, and coarse grids of little use.
  void begin_again() {
    catch_up();
    ksp_->reason = KSP_CONVERGED_ITERATING;
    began_ = ksp_->its;
    make_residual();
    ksp_->rnorm = norm_of_r();
    passes_->begin(queue());
    if (has_walls()) solve_alone();
    precondition();
  }

  void iterate_on() {
    while (ksp_->reason == KSP_CONVERGED_ITERATING && ksp_->its < ksp_->max_it) {
      iterate();
      if (ksp_->its == 1) norm_of_all_ = ksp_->rnorm;
      if (ksp_->its == began_ + 1) norm_after_first_ = ksp_->rnorm;
      if (is_to_look_ahead() && grid_multigrid_is_more_exact(ksp_->pc, iterations_left() - of_exact_solve))
        begin_again();
    }
  }
  // Again and again, for the first iterations may tell little.
  bool is_to_look_ahead() const {
    const PetscInt made = ksp_->its - began_;
    return ksp_->reason == KSP_CONVERGED_ITERATING && ksp_->normtype != KSP_NORM_NONE &&
           (made == of_exact_solve || made % (3 * of_exact_solve) == 0);
  }
  // If they go on as they did.
  PetscReal iterations_left() const {
    const PetscReal left = ksp_->max_it - ksp_->its, factor = ksp_->rnorm / norm_after_first_,
                    end = std::max(ksp_->rtol * norm_of_all_, ksp_->abstol);
    if (!(factor < 1)) return left;
    return std::min(left, std::log(end / ksp_->rnorm) / std::log(factor) * (ksp_->its - began_ - 1));
  }
  // From z = M r to that of the next iteration.
  void iterate() {
    ++ksp_->its;
    turn();
    step(multiply_with_dot(ksp_, a_, p_, z_, alone_ && on_gpu() ? passes_->pq() : nullptr));
    passes_->begin_sums(queue());
    const bool ahead = goes_on();
    if (ahead) precondition();
    const ConjugateGradientSums sums = passes_->end_sums();
    if (sums.rz == 0) {  // x is the solution, or M maps r to zero
      if (is_tiny())
        ksp_->reason = KSP_CONVERGED_ATOL;
      else
        give_up(KSP_DIVERGED_BREAKDOWN, "the preconditioner makes 0 of a residual that is not");
    } else if (!std::isfinite(sums.rz) || !std::isfinite(sums.pq)) {
      not_a_number();
    } else if (!sums.of_definite_preconditioner()) {
      ksp_->reason = KSP_DIVERGED_INDEFINITE_PC;
    } else if (!sums.of_definite_operator()) {
      ksp_->reason = KSP_DIVERGED_INDEFINITE_MAT;
    } else {
      if (ksp_->normtype == KSP_NORM_NONE) test(0);
      if (ksp_->normtype == KSP_NORM_UNPRECONDITIONED) test(where_it_falls(std::sqrt(sums.rr)));
      if (ksp_->reason == KSP_CONVERGED_ITERATING && !ahead && (tests_z() || ksp_->its < ksp_->max_it))
        precondition();
    }
  }

  // Whether a GPU is to go on with the next z before the host knows this residual, which takes it a tenth of
  // a millisecond: where it is far from small enough, by how much iterations have made of it so far. Where
  // that is wrong z was made for nothing.
  bool goes_on() {
    constexpr PetscReal safety = 0.1, unknown = 1e-3;
    if (!alone_ || !on_gpu() || ksp_->normtype != KSP_NORM_UNPRECONDITIONED || ksp_->its >= ksp_->max_it)
      return false;
    const PetscReal norm = ksp_->rnorm;  // of the iteration before
    if (ksp_->its > 1 && norm_before_ > 0) least_factor_ = std::min(least_factor_, norm / norm_before_);
    norm_before_ = norm;
    if (first_norm_ < 0) first_norm_ = norm;
    const PetscReal factor = ksp_->its > 1 ? least_factor_ : unknown;
    return safety * factor * norm > std::max(ksp_->rtol * first_norm_, ksp_->abstol);
  }

  // As z it is multiplied with itself. PETSc's VecNorm() would start cuBLAS, which takes 10 ms.
  PetscReal norm_of_r() {
    passes_->begin(queue());
    {
      const GpuTime time(on_gpu());
      const ReadArray r(r_, space_);
      passes_->make_rz(queue(), r.data(), r.data());
    }
    log_flops(4 * rows_, on_gpu());
    sum_over_ranks(std::array{&ConjugateGradientSums::zz});
    return std::sqrt(passes_->sums(queue()).zz);
  }

  // Rounding leaves in r some of what A maps to zero, which no step makes smaller: where the norm no longer
  // falls, r is without it from here on, and so is the norm.
  PetscReal where_it_falls(PetscReal norm) {
    constexpr PetscReal falls = 0.7;
    MatNullSpace space = nullptr;
    if (!(norm > falls * ksp_->rnorm)) return norm;
    QUADRILLE_PETSC(MatGetNullSpace(a_, &space));
    if (space == nullptr) return norm;
    QUADRILLE_PETSC(MatNullSpaceRemove(space, r_));
    QUADRILLE_PETSC(VecNorm(r_, NORM_2, &norm));
    return norm;
  }

  bool tests_z() const {
    return ksp_->normtype == KSP_NORM_PRECONDITIONED || ksp_->normtype == KSP_NORM_NATURAL;
  }

  // z = M r, and the test by it where that is asked for.
  void precondition() {
    QUADRILLE_PETSC(KSP_PCApply(ksp_, r_, z_));
    if (const DotParts parts = dot_of_preconditioner(); parts.count > 0) {
      const GpuTime time(on_gpu());
      passes_->take_rz(queue(), parts.part, parts.count);
      log_flops(2 * rows_, on_gpu());
      return;
    }
    {
      const GpuTime time(on_gpu());
      const ReadArray r(r_, space_), z(z_, space_);
      passes_->make_rz(queue(), r.data(), z.data());
    }
    log_flops(4 * rows_, on_gpu());
    sum_over_ranks(std::array{&ConjugateGradientSums::rz, &ConjugateGradientSums::zz});
    if (!tests_z()) return;
    const ConjugateGradientSums sums = passes_->sums(queue());
    test(ksp_->normtype == KSP_NORM_NATURAL ? std::sqrt(std::abs(sums.rz)) : std::sqrt(sums.zz));
  }

  // Of r and z as they are, so not where PETSc takes a null space out of z.
  DotParts dot_of_preconditioner() const {
    if (!on_gpu() || !alone_ || tests_z() || ksp_->transpose_solve) return {};
    MatNullSpace space = nullptr;
    QUADRILLE_PETSC(MatGetNullSpace(a_, &space));
    return space == nullptr ? grid_multigrid_dot(ksp_->pc) : DotParts{};
  }

  void turn() {
    const GpuTime time(on_gpu());
    const ReadArray z(z_, space_);
    const ReadWriteArray p(p_, space_);
    if (x_lacks_)
      passes_->turn(queue(), z.data(), p.data(), ReadWriteArray(x_, space_).data());
    else
      passes_->turn(queue(), z.data(), p.data(), nullptr);
    log_flops((x_lacks_ ? 4 : 2) * rows_, on_gpu());
    x_lacks_ = false;
  }

  void step(bool has_pq) {
    if (!has_pq) {
      const GpuTime time(on_gpu());
      const ReadArray p(p_, space_), q(z_, space_);
      passes_->make_pq(queue(), p.data(), q.data());
    }
    sum_over_ranks(std::array{&ConjugateGradientSums::pq});
    {
      const GpuTime time(on_gpu());
      const ReadArray q(z_, space_);
      const ReadWriteArray r(r_, space_);
      passes_->step(queue(), q.data(), r.data());
    }
    x_lacks_ = true;
    log_flops(6 * rows_, on_gpu());
    sum_over_ranks(std::array{&ConjugateGradientSums::rr});
  }

  bool on_gpu() const { return space_ == SpaceKind::cuda; }

  // The sums that are new, each of which a rank has of its own rows.
  template <std::size_t count>
  void sum_over_ranks(const std::array<double ConjugateGradientSums::*, count>& which) {
    if (alone_) return;
    ConjugateGradientSums sums = passes_->sums(queue());
    std::array<double, count> all;
    for (std::size_t i = 0; i < count; ++i) all[i] = sums.*which[i];
    MPI_Allreduce(MPI_IN_PLACE, all.data(), count, MPI_DOUBLE, MPI_SUM,
                  PetscObjectComm(reinterpret_cast<PetscObject>(ksp_)));
    for (std::size_t i = 0; i < count; ++i) sums.*which[i] = all[i];
    passes_->set_sums(queue(), sums);
  }

  // The residual after ksp_->its iterations is told to the monitors and tested.
  void test(PetscReal norm) {
    ksp_->rnorm = norm;
    if (!std::isfinite(norm)) return not_a_number();
    QUADRILLE_PETSC(KSPLogResidualHistory(ksp_, norm));
    QUADRILLE_PETSC(KSPMonitor(ksp_, ksp_->its, norm));
    QUADRILLE_PETSC((*ksp_->converged)(ksp_, ksp_->its, norm, &ksp_->reason, ksp_->cnvP));
  }

  // Whether r is so small that a cycle in fp32 makes nothing of it.
  bool is_tiny() {
    constexpr PetscReal tiny = 1e-30;
    return (ksp_->normtype == KSP_NORM_UNPRECONDITIONED ? ksp_->rnorm : norm_of_r()) < tiny;
  }
  bool pc_failed() const {
    PCFailedReason failed = PC_NOERROR;
    QUADRILLE_PETSC(PCGetFailedReason(ksp_->pc, &failed));
    return failed != PC_NOERROR;
  }
  void give_up(KSPConvergedReason reason, const char* why) {
    if (ksp_->errorifnotconverged) throw PetscError(why, PETSC_ERR_NOT_CONVERGED);
    ksp_->reason = reason;
  }
  void not_a_number() {
    give_up(pc_failed() ? KSP_DIVERGED_PC_FAILED : KSP_DIVERGED_NANORINF,
            "a number in the solve is not finite");
  }

  KSP ksp_;
  Vec x_, r_, z_, p_;  // z is also q
  Mat a_ = nullptr;
  std::int64_t rows_ = 0;
  SpaceKind space_ = SpaceKind::cpu;
  ConjugateGradients* passes_ = nullptr;
  bool alone_ = true;
  bool x_lacks_ = false;  // the last step
  PetscReal first_norm_ = -1, norm_before_ = -1, least_factor_ = 1;
  // The norms after the first iteration since `began_`, and of the whole solve.
  PetscReal norm_after_first_ = 0, norm_of_all_ = 0;
  PetscInt began_ = 0;
};

// Null again at the end of a scope, whatever ends it.
struct ResetAfter {
  Solve*& pointer;
  explicit ResetAfter(Solve*& p) : pointer(p) {}
  ~ResetAfter() { pointer = nullptr; }
};

PetscErrorCode set_up(KSP ksp) {
  return guarded("KSPSetUp_QuadrilleCG", [&] {
    QUADRILLE_PETSC(KSPSetWorkVecs(ksp, 3));
    passes_of(ksp, space_of_work(ksp), rows_of(ksp->work[0]));
    Mat a = nullptr;
    QUADRILLE_PETSC(PCGetOperators(ksp->pc, &a, nullptr));
    if (ScaledOperator* const op = a != nullptr ? scaled_behind(a) : nullptr) op->op()->prepare_dot();
  });
}
PetscErrorCode solve(KSP ksp) {
  return guarded("KSPSolve_QuadrilleCG", [&] {
    const ResetAfter now(kept(ksp).running);
    Solve solve(ksp);
    kept(ksp).running = &solve;
    solve.run();
  });
}
// For monitors, while a solve is under way.
PetscErrorCode build_solution(KSP ksp, Vec into, Vec* solution) {
  return guarded("KSPBuildSolution_QuadrilleCG", [&] {
    if (Solve* const running = kept(ksp).running) running->catch_up();
    QUADRILLE_PETSC(KSPBuildSolutionDefault(ksp, into, solution));
  });
}
PetscErrorCode reset(KSP ksp) {
  return guarded("KSPReset_QuadrilleCG", [&] { kept(ksp) = {}; });
}
PetscErrorCode destroy(KSP ksp) {
  return guarded("KSPDestroy_QuadrilleCG", [&] {
    delete &kept(ksp);
    ksp->data = nullptr;
  });
}

PetscErrorCode create(KSP ksp) {
  return guarded("KSPCreate_QuadrilleCG", [&] {
    QUADRILLE_PETSC(KSPSetSupportedNorm(ksp, KSP_NORM_PRECONDITIONED, PC_LEFT, 3));
    QUADRILLE_PETSC(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
    QUADRILLE_PETSC(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
    QUADRILLE_PETSC(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->buildsolution = build_solution;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
    ksp->data = new Kept;
    ++uses();
  });
}

}  // namespace

void register_conjugate_gradients() {
  QUADRILLE_PETSC(KSPRegister(type_name, create));
}

}  // namespace quadrille::petsc
