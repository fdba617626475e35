#include "user_functor.hpp"

#include "assembly/device_fill.cuh"

namespace quadrille {

template <class Functor>
BlockDiagonals<double, Device> assemble_user_functor_on_device(const Grid& grid, const Stencil& stencil,
                                                               const Boundary& boundary,
                                                               const Functor& functor) {
  return assemble_on_device<double>(grid, stencil, boundary, functor);
}

template <class Functor>
Dia<double, Device> assemble_user_dia_on_device(const Grid& grid, const Stencil& stencil,
                                                const Boundary& boundary, const Functor& functor) {
  return assemble_dia_on_device<double>(grid, stencil, boundary, functor);
}

#define QUADRILLE_INSTANTIATE(Functor)                                                                      \
  template BlockDiagonals<double, Device> assemble_user_functor_on_device(const Grid&, const Stencil&,      \
                                                                          const Boundary&, const Functor&); \
  template Dia<double, Device> assemble_user_dia_on_device(const Grid&, const Stencil&, const Boundary&,    \
                                                           const Functor&);
QUADRILLE_INSTANTIATE(UserFunctor)
QUADRILLE_INSTANTIATE(UserFunctorInFill)
QUADRILLE_INSTANTIATE(UserResidual)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
