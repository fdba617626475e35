// A build without CUDA has formulas on the host only.
#include "assembly/device_formula.hpp"
#include "formats/format.hpp"

namespace quadrille {

bool fits_device(const Formula&, double) {
  return false;
}

double evaluate_on_device(const Formula&, const Grid&, const NodeBox&, int, double, double*) {
  throw CudaError("this build has no CUDA: install the CUDA toolkit and build again, or use --space cpu");
}

}  // namespace quadrille
