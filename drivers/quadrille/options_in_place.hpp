// Options of one solver, in PETSc's database while it asks for them. Internal to the library's face.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace quadrille {

using PetscOptionText = std::pair<std::string, std::string>;  // "-ksp_type", "gmres"

std::vector<PetscOptionText> parse_petsc_options(const std::string& text);

// Options that were given to a solver, and those that were asked for.
struct SolverOptions {
  explicit SolverOptions(const std::string& text = "") : given(parse_petsc_options(text)) {}
  std::vector<std::string> unused() const;

  std::vector<PetscOptionText> given;
  std::set<std::string> used;
};

// While this lives what a solver makes within itself (smoothers, solvers of blocks) finds its options too,
// and other solvers do not. Those that are there already stay.
class OptionsInPlace {
 public:
  explicit OptionsInPlace(SolverOptions& options);
  ~OptionsInPlace();
  OptionsInPlace(const OptionsInPlace&) = delete;
  OptionsInPlace& operator=(const OptionsInPlace&) = delete;

 private:
  std::vector<std::string> put_;
  SolverOptions& options_;
};

}  // namespace quadrille
