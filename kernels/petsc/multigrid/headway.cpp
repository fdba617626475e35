#include "kernels/petsc/multigrid/headway.hpp"

#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"

namespace quadrille::petsc {
namespace {

constexpr const char* name = "quadrille_headway";

struct Headway {
  PetscInt since = 0;              // the iteration
  PetscReal norm = 0, at_all = 0;  // there; at the beginning
};

bool lets_m_change(KSP ksp) {
  PetscBool flexible = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &flexible, KSPFGMRES, KSPGCR,
                                            KSPFCG, ""));
  return flexible;
}

// That it takes to the end, if it goes on like that.
PetscReal iterations_left(KSP ksp, const Headway& headway, PetscInt iteration, PetscReal norm) {
  PetscReal relative = 0, absolute = 0;
  PetscInt most = 0;
  QUADRILLE_PETSC(KSPGetTolerances(ksp, &relative, &absolute, nullptr, &most));
  const PetscReal left = most - iteration, factor = norm / headway.norm,
                  end = std::max(relative * headway.at_all, absolute);
  if (!(factor < 1)) return left;
  return std::min(left, std::log(end / norm) / std::log(factor) * (iteration - headway.since));
}

PetscErrorCode look(KSP ksp, PetscInt iteration, PetscReal norm, void* context) {
  return guarded("the monitor of quadrille_mg", [&] {
    constexpr PetscInt some = 30;
    constexpr PetscReal enough = 0.5;
    Headway& headway = *static_cast<Headway*>(context);
    if (iteration > 0 && iteration - headway.since < some) return;
    if (iteration > 0 && lets_m_change(ksp)) {
      PC pc = nullptr;
      QUADRILLE_PETSC(KSPGetPC(ksp, &pc));
      if (!grid_multigrid_is_more_exact(pc,
                                        iterations_left(ksp, headway, iteration, norm) - of_exact_solve) &&
          norm > enough * headway.norm)
        grid_multigrid_takes_fp64(pc);
    }
    headway = {iteration, norm, iteration > 0 ? headway.at_all : norm};
  });
}

}  // namespace

void watch_headway(KSP ksp) {
  const auto object = reinterpret_cast<PetscObject>(ksp);
  PetscObject watched = nullptr;
  QUADRILLE_PETSC(PetscObjectQuery(object, name, &watched));
  if (watched != nullptr || !lets_m_change(ksp)) return;
  compose(object, name, std::make_unique<Headway>());
  QUADRILLE_PETSC(KSPMonitorSet(ksp, look, &composed<Headway>(object, name), nullptr));
}

}  // namespace quadrille::petsc
