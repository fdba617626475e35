#include "residual_models.hpp"

#include "assembly/pde/residual_of.hpp"

namespace quadrille {

template <class Residual>
AnyResidual on_both(const Residual& residual, int dof) {
  return residual_of(residual, dof);
}

#define QUADRILLE_INSTANTIATE(Residual) template AnyResidual on_both(const Residual&, int);
QUADRILLE_INSTANTIATE(Everything)
QUADRILLE_INSTANTIATE(Diffusing)
QUADRILLE_INSTANTIATE(Spreading)
QUADRILLE_INSTANTIATE(Bratu)
QUADRILLE_INSTANTIATE(Rooting)
QUADRILLE_INSTANTIATE(Even<true>)
QUADRILLE_INSTANTIATE(Even<false>)
QUADRILLE_INSTANTIATE(Saying<true>)
QUADRILLE_INSTANTIATE(Saying<false>)
QUADRILLE_INSTANTIATE(Fed<true>)
QUADRILLE_INSTANTIATE(Fed<false>)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
