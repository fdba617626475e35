#include "quadrille/solver.hpp"

#include <petscksp.h>

#include <set>
#include <utility>
#include <vector>

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

Solver::Solver(const GridOperator& a, const std::string& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.options = parsed(options);
  s.problem.matrix = s.problem.on_grid = a.shared_mat();
  s.problem.has_options = true;
  s.problem.options_are = "the solver's options";
  const OptionsInPlace in_place(s.options, s.used);
  s.solver = petsc::make_solver(s.problem);
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveResult Solver::solve(const Vector& b, Vector& x, Guess guess) {
  State& s = *state_;
  const OptionsInPlace in_place(s.options, s.used);
  petsc::follow_values(s.problem, s.solver);
  const KSP ksp = s.solver.ksp.get();
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  PetscReal residual = 0;
  petsc::with_options_to_blame(s.problem, s.solver.ksp, [&] {
    QUADRILLE_PETSC(KSPSetInitialGuessNonzero(ksp, guess == keep_guess ? PETSC_TRUE : PETSC_FALSE));
    QUADRILLE_PETSC(KSPSolve(ksp, b.vec(), x.vec()));
  });
  QUADRILLE_PETSC(KSPGetConvergedReason(ksp, &reason));
  QUADRILLE_PETSC(KSPGetIterationNumber(ksp, &iterations));
  QUADRILLE_PETSC(KSPGetResidualNorm(ksp, &residual));
  return {reason > 0, static_cast<int>(iterations), residual, petsc::in_words(reason)};
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
