// Every PDE by name, in the order of help and tables: bar has a bar_pde() in one of the files beside.
// Internal to assembly.
#pragma once

#include "assembly/pde/problem.hpp"

#define QUADRILLE_PDES(X) \
  X(poisson)              \
  X(diffusion)            \
  X(elasticity)           \
  X(heat)                 \
  X(transport)            \
  X(gray_scott)           \
  X(cahn_hilliard)        \
  X(bratu)                \
  X(poroelastic)

namespace quadrille {

#define QUADRILLE_DECLARE(name) Pde name##_pde();
QUADRILLE_PDES(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

}  // namespace quadrille
