#include "kernels/conjugate_gradients.hpp"

namespace quadrille {

std::unique_ptr<ConjugateGradients> make_conjugate_gradients(SpaceKind space, std::int64_t rows) {
  return space == SpaceKind::cuda ? cuda::make_conjugate_gradients(rows)
                                  : cpu::make_conjugate_gradients(rows);
}

}  // namespace quadrille
