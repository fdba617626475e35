#include "kernels/tuning/variants.hpp"

#include "kernels/format_operator.hpp"

namespace quadrille {
namespace {

template <class T, class Format>
Variants<T> one_on_cpu(Format format) {
  const auto op = std::make_shared<const FormatOperator<Format, T, Host>>(
      std::make_shared<const Format>(std::move(format)));
  return [op](const Launch&) { return op; };
}

}  // namespace

template <class T>
Variants<T> ellr_t_variants(SpaceKind space, const Csr<T>& csr, int threads) {
  if (space == SpaceKind::cuda) return cuda::ellr_t_variants(csr, threads);
  return one_on_cpu<T>(ellr_t_from_csr(csr, threads));
}

template <class T>
Variants<T> cmrs_variants(SpaceKind space, const Csr<T>& csr, int height, bool reorder) {
  if (space == SpaceKind::cuda) return cuda::cmrs_variants(csr, height, reorder);
  return one_on_cpu<T>(cmrs_from_csr(csr, height, reorder));
}

template Variants<float> ellr_t_variants(SpaceKind, const Csr<float>&, int);
template Variants<double> ellr_t_variants(SpaceKind, const Csr<double>&, int);
template Variants<float> cmrs_variants(SpaceKind, const Csr<float>&, int, bool);
template Variants<double> cmrs_variants(SpaceKind, const Csr<double>&, int, bool);

}  // namespace quadrille
