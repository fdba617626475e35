#include "quadrille/solver.hpp"

#include <petscksp.h>

#include <set>
#include <utility>
#include <vector>

#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/solve/krylov_errors.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"

namespace quadrille {
namespace {

using Option = std::pair<std::string, std::string>;  // "-ksp_type", "gmres"

std::vector<Option> parsed(const std::string& text) {
  PetscOptions database = nullptr;
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  std::vector<Option> options;
  QUADRILLE_PETSC(PetscOptionsCreate(&database));
  QUADRILLE_PETSC(PetscOptionsInsertString(database, text.c_str()));
  QUADRILLE_PETSC(PetscOptionsLeftGet(database, &count, &names, &values));  // none was asked for yet: all
  for (PetscInt i = 0; i < count; ++i)
    options.emplace_back(std::string("-") + names[i], values[i] == nullptr ? "" : values[i]);
  QUADRILLE_PETSC(PetscOptionsLeftRestore(database, &count, &names, &values));
  QUADRILLE_PETSC(PetscOptionsDestroy(&database));
  return options;
}

// The options of one solver in PETSc's database, while it asks for them: what it makes within itself
// (smoothers, solvers of blocks) finds them too, and other solvers do not. Those that are there already stay.
class OptionsInPlace {
 public:
  OptionsInPlace(const std::vector<Option>& options, std::set<std::string>& used) : used_(used) {
    for (const auto& [name, value] : options) {
      PetscBool there = PETSC_FALSE;
      QUADRILLE_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &there));
      if (there) {
        used_.insert(name);
        continue;
      }
      QUADRILLE_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), value.empty() ? nullptr : value.c_str()));
      put_.push_back(name);
    }
  }
  ~OptionsInPlace() {
    for (const std::string& name : put_) {
      PetscBool used = PETSC_FALSE;
      (void)PetscOptionsUsed(nullptr, name.c_str() + 1, &used);  // without its dash
      if (used) used_.insert(name);
      (void)PetscOptionsClearValue(nullptr, name.c_str());
    }
  }
  OptionsInPlace(const OptionsInPlace&) = delete;
  OptionsInPlace& operator=(const OptionsInPlace&) = delete;

 private:
  std::vector<std::string> put_;
  std::set<std::string>& used_;
};

}  // namespace

struct Solver::State {
  petsc::KrylovProblem problem;
  std::vector<Option> options;
  std::set<std::string> used;
  petsc::KrylovSolver solver;
};

const SolveResult& SolveResult::or_throw() const {
  if (!converged)
    throw NotConvergedError("the solve did not converge: " + reason + ", after " +
                            std::to_string(iterations) + " iterations, at a residual of " +
                            std::to_string(residual));
  return *this;
}

Solver::Solver(const GridOperator& a, const SolverSettings& settings) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.options = parsed(settings.options);
  s.problem.on_grid = a.shared_mat();
  s.problem.matrix =
      settings.petscs_matrix ? petsc::make_aij(a.mat(), a.space() == SpaceKind::cuda) : a.shared_mat();
  s.problem.constants_are_null = settings.constants_are_null;
  s.problem.monitor = settings.monitor;
  s.problem.options_are = settings.options_are;
  const OptionsInPlace in_place(s.options, s.used);
  s.solver = petsc::make_solver(s.problem);
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveResult Solver::solve(const Vector& b, Vector& x, Guess guess) {
  State& s = *state_;
  const OptionsInPlace in_place(s.options, s.used);
  return {petsc::solve(s.problem, s.solver, b.vec(), x.vec(), guess == keep_guess)};
}

SolveResult Solver::confirmed(SolveResult result, const Vector& b, const Vector& x) const {
  petsc::confirm(state_->problem, b.vec(), x.vec(), result);
  return result;
}

petsc::KrylovTimes Solver::measure(const Vector& b, const Vector& x, bool set_up_again) const {
  return petsc::measure(state_->problem, state_->solver, b.vec(), x.vec(), set_up_again);
}

std::int64_t Solver::stored_bytes() const {
  return petsc::stored_bytes(state_->problem.matrix.get());
}

std::vector<std::string> Solver::unused_options() const {
  std::vector<std::string> unused;
  for (const auto& [name, value] : state_->options)
    if (state_->used.count(name) == 0) unused.push_back(name);
  return unused;
}

KSP Solver::ksp() const {
  return state_->solver.ksp.get();
}

}  // namespace quadrille
