// The GPU's half of the registry, in builds with CUDA.
#include "kernels/format_table.hpp"

namespace quadrille {

std::vector<FormatEntry> cuda_entries() {
  return formats_in<Device>();
}

}  // namespace quadrille
