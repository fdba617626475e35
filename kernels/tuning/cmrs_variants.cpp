#include "kernels/tuning/cmrs_variants.hpp"

#include "kernels/format_operator.hpp"

namespace quadrille {

template <class T>
CmrsVariants<T> cmrs_variants(SpaceKind space, const Csr<T>& csr, int height, bool reorder) {
  if (space == SpaceKind::cuda) return cuda::cmrs_variants(csr, height, reorder);
  auto format = std::make_shared<const Cmrs<T>>(cmrs_from_csr(csr, height, reorder));
  return {std::make_unique<FormatOperator<Cmrs<T>, T, Host>>(std::move(format)), [](const CmrsLaunch&) {}};
}

template CmrsVariants<float> cmrs_variants(SpaceKind, const Csr<float>&, int, bool);
template CmrsVariants<double> cmrs_variants(SpaceKind, const Csr<double>&, int, bool);

}  // namespace quadrille
