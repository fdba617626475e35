#include "model.hpp"

#if defined(__CUDACC__)
#include <quadrille/device_fill.cuh>
#endif

namespace quadrille::library_test {

template <class Coefficient>
OnDevice<Coefficient> with_fill(const Coefficient& model) {
#if defined(__CUDACC__)
  return on_device(model);
#else
  return {model, {}};
#endif
}

OnDevice<Model> on_both(const Model& model) {
  return with_fill(model);
}
OnDevice<Species> on_both(const Species& model) {
  return with_fill(model);
}

}  // namespace quadrille::library_test
