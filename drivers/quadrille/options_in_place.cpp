#include "quadrille/options_in_place.hpp"

#include <petscsys.h>

#include "kernels/petsc/base/check.hpp"

namespace quadrille {

std::vector<PetscOptionText> parse_petsc_options(const std::string& text) {
  PetscOptions database = nullptr;
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  std::vector<PetscOptionText> options;
  QUADRILLE_PETSC(PetscOptionsCreate(&database));
  QUADRILLE_PETSC(PetscOptionsInsertString(database, text.c_str()));
  QUADRILLE_PETSC(PetscOptionsLeftGet(database, &count, &names, &values));  // none was asked for yet: all
  for (PetscInt i = 0; i < count; ++i)
    options.emplace_back(std::string("-") + names[i], values[i] == nullptr ? "" : values[i]);
  QUADRILLE_PETSC(PetscOptionsLeftRestore(database, &count, &names, &values));
  QUADRILLE_PETSC(PetscOptionsDestroy(&database));
  return options;
}

std::vector<std::string> SolverOptions::unused() const {
  std::vector<std::string> unused;
  for (const auto& [name, value] : given)
    if (used.count(name) == 0) unused.push_back(name);
  return unused;
}

OptionsInPlace::OptionsInPlace(SolverOptions& options) : options_(options) {
  for (const auto& [name, value] : options_.given) {
    PetscBool there = PETSC_FALSE;
    QUADRILLE_PETSC(PetscOptionsHasName(nullptr, nullptr, name.c_str(), &there));
    if (there) {
      options_.used.insert(name);
      continue;
    }
    QUADRILLE_PETSC(PetscOptionsSetValue(nullptr, name.c_str(), value.empty() ? nullptr : value.c_str()));
    put_.push_back(name);
  }
}

OptionsInPlace::~OptionsInPlace() {
  for (const std::string& name : put_) {
    PetscBool used = PETSC_FALSE;
    (void)PetscOptionsUsed(nullptr, name.c_str() + 1, &used);  // without its dash
    if (used) options_.used.insert(name);
    (void)PetscOptionsClearValue(nullptr, name.c_str());
  }
}

}  // namespace quadrille
