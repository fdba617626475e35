#include "kernels/petsc/multigrid/grid_multigrid.hpp"

#include <petscksp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/log_event.hpp"
#include "kernels/petsc/base/option_reader.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/base/vector_sums.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/multigrid/headway.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/multigrid/rank_exchange.hpp"

namespace quadrille::petsc {
namespace {

constexpr const char* type_name = "quadrille_mg";

// The operator on its grid.
struct GridValues {
  std::shared_ptr<const BlockDiagonals<double>> hub;
  std::shared_ptr<const BlockDiagonals<double, Device>> device_hub;
  std::shared_ptr<const FewRows> few_rows;  // in place of both
  LocalParts parts;                         // of a matrix of several ranks, which has a partition
  bool on_gpu = false;
  std::int64_t bytes() const {
    return few_rows ? few_rows->a.values.bytes() : on_gpu ? device_hub->values.bytes() : hub->values.bytes();
  }
};

GridValues values_of(Mat matrix) {
  if (!is_typed(matrix)) {
    MatType type = nullptr;
    QUADRILLE_PETSC(MatGetType(matrix, &type));
    throw FormatError(
        "quadrille_mg needs a matrix of type quadrille on a grid (-dm_mat_type quadrille), not " +
        std::string(type == nullptr ? "one without a type" : type) +
        "; where the program itself names a type, -mat_type quadrille");
  }
  TypedMatrix& typed_matrix = typed(matrix);
  if (!typed_matrix.on_grid())
    throw FormatError("quadrille_mg needs a matrix of type quadrille on a grid, and this one has none");
  const bool on_gpu = typed_matrix.multiplies_on_gpu();
  const LocalParts parts = typed_matrix.store().parts_or_few_rows(on_gpu);
  return {on_gpu || parts.few_rows ? nullptr : parts.hub, parts.device_hub, parts.few_rows, parts, on_gpu};
}

constexpr const char* options_start = "-pc_quadrille_mg_";

const char* prefix_of(PC pc) {
  const char* prefix = nullptr;
  QUADRILLE_PETSC(PCGetOptionsPrefix(pc, &prefix));
  return prefix;
}
PetscOptions database_of(PC pc) {
  PetscOptions database = nullptr;
  QUADRILLE_PETSC(PetscObjectGetOptions(reinterpret_cast<PetscObject>(pc), &database));
  return database;
}

// Where no option says a precision, that of cycles goes by the coefficients, or is fp64.
GridMultigridOptions options_of(PC pc, bool wants_fp64) {
  GridMultigridOptions options;
  OptionReader read(database_of(pc), prefix_of(pc), options_start);
  read.number("levels", 1, options.levels, "At most so many; the last one is solved directly");
  read.number("coarsest", 1, options.coarsest, "Unknowns that are few enough to be solved directly");
  read.number("gathered", 1, options.gathered, "Unknowns that are few enough for every rank to have all");
  read.number("sweeps", 1, options.sweeps, "Of the smoother before and after the coarser grids, each");
  read.word("smoother", level_smoothers, options.smoother,
            "One of chebyshev, jacobi, sor, lines, or auto: by whether the operator is near symmetric");
  read.yes_or_no("semicoarsening", options.semi_coarsening, "Halve the axes that couple strongly alone");
  read.word("cycle_type", std::array{"v", "w", "f"}, options.cycle, "v, w, or f: full multigrid");
  read.word("precision", std::array{"double", "single", "auto"}, options.precision,
            "Of the cycle: double, single, or auto: by the method and the coefficients");
  read.word("interpolation", std::array{"auto", "operator", "linear"}, options.interpolation,
            "One of auto, operator, linear");
  read.word("coarse_operators", std::array{"auto", "galerkin"}, options.coarse_operators,
            "auto, or galerkin: P^T A P between unknowns of different kinds, too");
  read.list(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), "Options of quadrille_mg");
  // One cycle of full multigrid is to be as good as the grid is: in fp32 rounding, which the grid's spacing
  // to the power -2 makes large, would show.
  if (options.precision == CyclePrecision::as_suits && (wants_fp64 || options.cycle == CycleKind::f))
    options.precision = CyclePrecision::fp64;
  return options;
}

// Methods that take x and the residual on by the same vectors, and products of these by A alone. The others
// build x of what M A does to vectors, and a cycle in fp32 does not do that to more than 1e-7: their x is
// wrong by that, whatever residual they see. So it may be around one application, or some that nothing tests:
// there another method stands outside.
bool corrects_itself(KSP ksp) {
  PetscBool found = PETSC_FALSE, richardson = PETSC_FALSE;
  KSPNormType tested = KSP_NORM_DEFAULT;
  const auto object = reinterpret_cast<PetscObject>(ksp);
  QUADRILLE_PETSC(
      PetscObjectTypeCompareAny(object, &found, KSPCG, KSPFCG, KSPFGMRES, KSPGCR, "quadrille_cg", ""));
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, KSPRICHARDSON, &richardson));
  QUADRILLE_PETSC(KSPGetNormType(ksp, &tested));
  return found || (richardson && tested != KSP_NORM_NONE);
}

class GridPreconditioner {
 public:
  void set_up(PC pc) {
    Mat matrix = nullptr;
    QUADRILLE_PETSC(PCGetOperators(pc, nullptr, &matrix));
    const GridValues values = values_of(matrix);
    const LogSpan logged(log_event("QuadMGSetUp"));
    std::unique_ptr<GridMultigrid> previous = std::move(multigrid_);
    on_gpu_ = values.on_gpu;
    GridMultigridOptions options = options_of(pc, wants_fp64_);
    options.saved_iterations = saved_iterations_;
    const DefaultQueue order(on_gpu_);
    if (distributed(matrix)) {
      ranks_ = std::make_unique<PetscRanks>(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)));
      const LocalParts& parts = values.parts;
      multigrid_ = on_gpu_
                       ? make_grid_multigrid(
                             shared_operator(parts, *parts.device_hub, parts.device_ghost->value, *ranks_),
                             options, std::move(previous))
                       : make_grid_multigrid(shared_operator(parts, *parts.hub, parts.ghost->value, *ranks_),
                                             options, std::move(previous));
    } else if (values.few_rows) {
      multigrid_ = make_grid_multigrid(*values.few_rows, on_gpu_, options, std::move(previous));
    } else {
      multigrid_ = on_gpu_ ? make_grid_multigrid(*values.device_hub, options, std::move(previous))
                           : make_grid_multigrid(*values.hub, options, std::move(previous));
    }
    applied_ = 0;
    taken_before_ = std::exchange(wished_after_, 0);
    take_null_space(matrix);
    const bool regular = all_ranks(matrix, !multigrid_->info().singular_blocks);
    QUADRILLE_PETSC(PCSetFailedReason(pc, regular ? PC_NOERROR : PC_FACTOR_NUMERIC_ZEROPIVOT));
    PetscInt rows = 0;
    QUADRILLE_PETSC(MatGetLocalSize(matrix, &rows, nullptr));
    if (rows_ != rows) without_constants_.reset();
    rows_ = rows;
    cycle_ = log_event("QuadMGCycle");
    logged.moves(values.bytes() + multigrid_->info().stored_bytes);
  }

  // The first solve shows which method it is for.
  void before_solve(PC pc, KSP ksp) {
    is_for_a_method_ = true;
    applied_ = 0;
    if (!corrects_itself(ksp))
      take_fp64(pc);
    else
      watch_headway(ksp);
  }
  // What this solve took of these levels the next one may take: the next set-up, for other values, makes
  // levels that do better, and goes back where they did not. Not before, for another method may stand around
  // this solve, under which M must stay.
  void after_solve() {
    if (!multigrid_) return;
    constexpr double worth = 0.4;  // of the iterations, whose cycles take longer
    if (taken_before_ > 0 && applied_ > worth * taken_before_) {
      saved_iterations_ = 0;
      looks_ahead_ = false;
    }
    const int before = std::exchange(taken_before_, 0);
    if (before == 0 && looks_ahead_ && wishes_more_exact(applied_ - of_exact_solve)) wished_after_ = applied_;
  }

  // Where no solve came before, something else stands around it (PCCOMPOSITE), and any method around that.
  void apply(PC pc, Vec b, Vec x) {
    if (!multigrid_) throw PetscError("quadrille_mg is applied before it was set up");
    if (!is_for_a_method_) take_fp64(pc);
    is_for_a_method_ = true;
    ++applied_;
    const std::int64_t rows = rows_;
    require_size(b, rows, "the vector of quadrille_mg");
    if (null_space_) b = without_constants(b);
    if (on_gpu_) use_own_sums(x);
    const SpaceKind space = on_gpu_ ? SpaceKind::cuda : SpaceKind::cpu;
    const ReadArray from(b, space);
    const WriteArray to(x, space);
    const double* in = from.data();
    double* out = to.data();
    const bool copies = on_gpu_ && (from.space() == SpaceKind::cpu || to.space() == SpaceKind::cpu);
    const DefaultQueue order(copies);  // copies are made there
    if (on_gpu_ && from.space() == SpaceKind::cpu) in = copied_in(from.data(), rows);
    if (on_gpu_ && to.space() == SpaceKind::cpu) out = on_device(device_x_, rows);
    {
      const LogSpan logged(cycle_);
      {
        const GpuTime time(on_gpu_);
        multigrid_->apply(in, out, on_gpu_ && !copies ? current_queue().stream : nullptr);
      }
      log_flops(multigrid_->info().cycle_flops, on_gpu_);
      logged.moves(multigrid_->info().cycle_bytes);
    }
    if (out != to.data()) {
      memory::copy_to_host(to.data(), out, rows * static_cast<std::int64_t>(sizeof(double)));
      log_copy(rows * static_cast<std::int64_t>(sizeof(double)), false);
    }
  }

  // Cycles, unless an option says otherwise; whether they were in fp32 before.
  bool take_fp64(PC pc) {
    if (std::exchange(wants_fp64_, true)) return false;
    const bool in_fp32 = multigrid_ && multigrid_->info().options.precision == CyclePrecision::fp32;
    if (!in_fp32 || options_of(pc, true).precision != CyclePrecision::fp64) return false;
    set_up(pc);
    return true;
  }

  // A larger grid, where that takes no longer than so many iterations; whether there is one.
  bool solve_more_exactly(PC pc, double iterations) {
    if (!multigrid_ || !wishes_more_exact(iterations)) return false;
    set_up(pc);
    return true;
  }

  DotParts dot() const { return multigrid_ ? multigrid_->dot() : DotParts{}; }
  const GridMultigridInfo* info() const { return multigrid_ ? &multigrid_->info() : nullptr; }

  void view(PetscViewer viewer) const {
    PetscBool ascii = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (!ascii || !multigrid_) return;
    const GridMultigridInfo& info = multigrid_->info();
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  Quadrille: %s\n", describe(info).c_str()));
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  %s bytes in %s memory, %s moved by a cycle\n",
                                           std::to_string(info.stored_bytes).c_str(), on_gpu_ ? "GPU" : "CPU",
                                           std::to_string(info.cycle_bytes).c_str()));
  }

 private:
  // At the next set-up.
  bool wishes_more_exact(double iterations) {
    const double of_exact = multigrid_->info().iterations_of_exact;
    if (iterations < of_exact) return false;
    saved_iterations_ = static_cast<int>(std::ceil(of_exact));
    return true;
  }
  // Where the constants are in the null space, rounding leaves some of them in the residual, which nothing
  // takes out again. A smoother makes of them what has nothing to do with the solution, and where
  // coefficients jump, so that other errors are as small before they are reached, M is not definite then.
  void take_null_space(Mat matrix) {
    const GridMultigridInfo& info = multigrid_->info();
    const auto by_operator = [](const GridLevelInfo& level) { return level.by_operator; };
    null_space_.reset();
    if (!info.singular || std::none_of(info.levels.begin(), info.levels.end(), by_operator)) return;
    MatNullSpace known = nullptr;
    QUADRILLE_PETSC(MatGetNullSpace(matrix, &known));
    if (known != nullptr) {
      QUADRILLE_PETSC(PetscObjectReference(reinterpret_cast<PetscObject>(known)));
      null_space_ = Handle<MatNullSpace>(known);
      return;
    }
    const Handle<Vec> model =
        make<Vec>("MatCreateVecs", [=](Vec* v) { return MatCreateVecs(matrix, v, nullptr); });
    null_space_ = constants(model.get(), block_size_of(matrix));
  }
  Vec without_constants(Vec b) {
    if (!without_constants_)
      without_constants_ = make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(b, v); });
    QUADRILLE_PETSC(VecCopy(b, without_constants_.get()));
    QUADRILLE_PETSC(MatNullSpaceRemove(null_space_.get(), without_constants_.get()));
    return without_constants_.get();
  }
  static double* on_device(Array<double, Device>& array, std::int64_t size) {
    if (array.size() < size) array = Array<double, Device>(size);
    return array.data();
  }
  const double* copied_in(const double* from, std::int64_t size) {
    double* const to = on_device(device_b_, size);
    memory::copy_to_device(to, from, size * static_cast<std::int64_t>(sizeof(double)));
    log_copy(size * static_cast<std::int64_t>(sizeof(double)), true);
    return to;
  }

  std::unique_ptr<PetscRanks> ranks_;  // of the levels that they share
  std::unique_ptr<GridMultigrid> multigrid_;
  std::int64_t rows_ = 0;  // of this rank
  PetscLogEvent cycle_ = -1;
  bool on_gpu_ = false, is_for_a_method_ = false;
  bool wants_fp64_ = false;   // where no option says
  int saved_iterations_ = 0;  // by a larger grid solved exactly, of a method that did not get on
  bool looks_ahead_ = true;   // after a solve
  int applied_ = 0;           // in this solve, of these levels
  int wished_after_ = 0, taken_before_ = 0;  // what solves took before a wish, and before it was fulfilled
  Handle<MatNullSpace> null_space_;          // to be taken off b, or none
  Handle<Vec> without_constants_;
  Array<double, Device> device_b_, device_x_;  // of vectors in host memory
};

GridPreconditioner& of(PC pc) {
  return composed<GridPreconditioner>(reinterpret_cast<PetscObject>(pc), type_name);
}

PetscErrorCode set_up(PC pc) {
  return guarded("PCSetUp_QuadrilleMG", [&] {
    try {
      of(pc).set_up(pc);
    } catch (const FormatError& refusal) {
      throw FormatError(std::string(refusal.what()) +
                        "; -pc_type gamg, bjacobi or pbjacobi takes it as it is");
    }
  });
}
PetscErrorCode before_solve(PC pc, KSP ksp, Vec, Vec) {
  return guarded("PCPreSolve_QuadrilleMG", [&] { of(pc).before_solve(pc, ksp); });
}
PetscErrorCode after_solve(PC pc, KSP, Vec, Vec) {
  return guarded("PCPostSolve_QuadrilleMG", [&] { of(pc).after_solve(); });
}
PetscErrorCode apply(PC pc, Vec b, Vec x) {
  return guarded("PCApply_QuadrilleMG", [&] { of(pc).apply(pc, b, x); });
}
PetscErrorCode view(PC pc, PetscViewer viewer) {
  return guarded("PCView_QuadrilleMG", [&] { of(pc).view(viewer); });
}
PetscErrorCode destroy(PC pc) {
  return guarded("PCDestroy_QuadrilleMG", [&] {
    QUADRILLE_PETSC(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), type_name, nullptr));
  });
}

// A PCSHELL under another name: PETSc's private headers are not needed.
PetscErrorCode create(PC pc) {
  return guarded("PCCreate_QuadrilleMG", [&] {
    QUADRILLE_PETSC(PCSetType(pc, PCSHELL));
    QUADRILLE_PETSC(PCShellSetName(pc, "multigrid on the operator's grid"));
    QUADRILLE_PETSC(PCShellSetSetUp(pc, set_up));
    QUADRILLE_PETSC(PCShellSetPreSolve(pc, before_solve));
    QUADRILLE_PETSC(PCShellSetPostSolve(pc, after_solve));
    QUADRILLE_PETSC(PCShellSetApply(pc, apply));
    QUADRILLE_PETSC(PCShellSetView(pc, view));
    QUADRILLE_PETSC(PCShellSetDestroy(pc, destroy));
    compose(reinterpret_cast<PetscObject>(pc), type_name, std::make_unique<GridPreconditioner>());
    ++uses();
    QUADRILLE_PETSC(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(pc), type_name));
  });
}

}  // namespace

void register_grid_multigrid() {
  QUADRILLE_PETSC(PCRegister(type_name, create));
}

bool grid_multigrid_takes(Mat matrix) {
  if (!is_typed(matrix) || !typed(matrix).on_grid()) return false;
  TypedMatrix& t = typed(matrix);
  if (distributed(matrix) && t.multiplies_on_gpu() && !has_cuda()) return false;
  return t.store().dof() <= most_multigrid_unknowns;
}

namespace {
bool is_ours(PC pc) {
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), type_name, &ours));
  return ours;
}
}  // namespace

const GridMultigridInfo* grid_multigrid_info(PC pc) {
  return is_ours(pc) ? of(pc).info() : nullptr;
}

DotParts grid_multigrid_dot(PC pc) {
  return is_ours(pc) ? of(pc).dot() : DotParts{};
}

bool grid_multigrid_takes_fp64(PC pc) {
  return is_ours(pc) && of(pc).take_fp64(pc);
}

bool grid_multigrid_is_more_exact(PC pc, double iterations) {
  return is_ours(pc) && of(pc).solve_more_exactly(pc, iterations);
}

std::string grid_multigrid_text(PC pc) {
  const GridMultigridInfo* const info = grid_multigrid_info(pc);
  return info != nullptr ? describe(*info) : "";
}

}  // namespace quadrille::petsc
