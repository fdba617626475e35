#include "user_functor.hpp"

#include "assembly/device_fill.cuh"

namespace quadrille {

BlockDiagonals<double, Device> assemble_user_functor_on_device(const Grid& grid, const Stencil& stencil,
                                                               const Boundary& boundary,
                                                               const UserFunctor& functor) {
  return assemble_on_device<double>(grid, stencil, boundary, functor);
}

}  // namespace quadrille
