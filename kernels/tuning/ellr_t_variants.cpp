#include "kernels/tuning/ellr_t_variants.hpp"

#include "kernels/format_operator.hpp"

namespace quadrille {

template <class T>
EllrTVariants<T> ellr_t_variants(SpaceKind space, const Csr<T>& csr, int threads) {
  if (space == SpaceKind::cuda) return cuda::ellr_t_variants(csr, threads);
  auto format = std::make_shared<const EllrT<T>>(ellr_t_from_csr(csr, threads));
  return {std::make_unique<FormatOperator<EllrT<T>, T, Host>>(std::move(format)), [](int) {}, {}};
}

template EllrTVariants<float> ellr_t_variants(SpaceKind, const Csr<float>&, int);
template EllrTVariants<double> ellr_t_variants(SpaceKind, const Csr<double>&, int);

}  // namespace quadrille
