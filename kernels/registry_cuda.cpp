// The GPU's half of the registry and of the searches, in builds with CUDA.
#include "kernels/format_table.hpp"
#include "kernels/tuning/ellr_t_variants.hpp"

namespace quadrille {

std::vector<FormatEntry> cuda_entries() {
  return formats_in<Device>();
}

namespace cuda {

template <class T>
EllrTVariants<T> ellr_t_variants(const Csr<T>& csr, int threads) {
  const auto format =
      std::make_shared<EllrT<T, Device>>(format_table::to_device(ellr_t_from_csr(csr, threads)));
  return {std::make_unique<FormatOperator<EllrT<T, Device>, T, Device>>(format),
          [format](int block) { format->block = block; }};
}

template EllrTVariants<float> ellr_t_variants(const Csr<float>&, int);
template EllrTVariants<double> ellr_t_variants(const Csr<double>&, int);

}  // namespace cuda
}  // namespace quadrille
