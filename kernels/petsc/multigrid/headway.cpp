#include "kernels/petsc/multigrid/headway.hpp"

#include <petscksp.h>

#include <memory>

#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"

namespace quadrille::petsc {
namespace {

constexpr const char* name = "quadrille_headway";

struct Headway {
  PetscInt since = 0;  // the iteration
  PetscReal norm = 0;  // there
};

bool lets_m_change(KSP ksp) {
  PetscBool flexible = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &flexible, KSPFGMRES, KSPGCR,
                                            KSPFCG, ""));
  return flexible;
}

PetscErrorCode look(KSP ksp, PetscInt iteration, PetscReal norm, void* context) {
  return guarded("the monitor of quadrille_mg", [&] {
    constexpr PetscInt some = 30;
    constexpr PetscReal enough = 0.5;
    Headway& headway = *static_cast<Headway*>(context);
    if (iteration > 0 && iteration - headway.since < some) return;
    if (iteration > 0 && norm > enough * headway.norm && lets_m_change(ksp)) {
      PC pc = nullptr;
      QUADRILLE_PETSC(KSPGetPC(ksp, &pc));
      grid_multigrid_takes_fp64(pc);
    }
    headway = {iteration, norm};
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
