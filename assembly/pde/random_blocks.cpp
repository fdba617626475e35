#include "assembly/pde/random_blocks.hpp"

namespace quadrille {

static_assert(max_dof <= 64, "RandomBlocks::counter gives r and c six bits each");

RandomBlocks random_blocks(std::uint64_t seed) {
  return {seed, false};
}

}  // namespace quadrille
