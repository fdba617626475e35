// The GPU's half of the registry and of the searches in builds without CUDA: nothing.
#include "kernels/format_table.hpp"
#include "kernels/transpose_methods.hpp"
#include "kernels/tuning/variants.hpp"

namespace quadrille {

std::vector<FormatEntry> cuda_entries() {
  return {};
}

std::vector<FormatEntry> cuda_transpose_methods() {
  return {};
}

namespace cuda {

template <class T>
Variants<T> ellr_t_variants(const Csr<T>&, int) {
  throw CudaError("this build has no CUDA");
}

template Variants<float> ellr_t_variants(const Csr<float>&, int);
template Variants<double> ellr_t_variants(const Csr<double>&, int);

template <class T>
Variants<T> cmrs_variants(const Csr<T>&, int, bool) {
  throw CudaError("this build has no CUDA");
}

template Variants<float> cmrs_variants(const Csr<float>&, int, bool);
template Variants<double> cmrs_variants(const Csr<double>&, int, bool);

}  // namespace cuda
}  // namespace quadrille
