// The GPU's half of the registry in builds without CUDA: nothing.
#include "kernels/format_table.hpp"

namespace quadrille {

std::vector<FormatEntry> cuda_entries() {
  return {};
}

}  // namespace quadrille
