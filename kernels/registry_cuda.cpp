// The GPU's half of the registry and of the searches, in builds with CUDA.
#include <map>

#include "kernels/format_table.hpp"
#include "kernels/tuning/variants.hpp"

namespace quadrille {

std::vector<FormatEntry> cuda_entries() {
  return formats_in<Device>();
}

namespace cuda {

template <class T>
Variants<T> ellr_t_variants(const Csr<T>& csr, int threads) {
  using Format = EllrT<T, Device>;
  const auto format = std::make_shared<const Format>(format_table::to_device(ellr_t_from_csr(csr, threads)));
  return [format](Launch launch) {
    launch.block = ellr_t_block(launch);
    return std::make_shared<const FormatOperator<Format, T, Device>>(format, Prepared{launch});
  };
}

template Variants<float> ellr_t_variants(const Csr<float>&, int);
template Variants<double> ellr_t_variants(const Csr<double>&, int);

// Our kernel's products are kept, by the threads of a block, for each has a plan of its own.
template <class T>
Variants<T> cmrs_variants(const Csr<T>& csr, int height, bool reorder) {
  using Operator = FormatOperator<Cmrs<T, Device>, T, Device>;
  Cmrs<T> host = cmrs_from_csr(csr, height, reorder);
  const auto format = std::make_shared<const Cmrs<T, Device>>(format_table::to_device(host));
  const auto strip_ptr = std::make_shared<const Array<std::int32_t>>(std::move(host.strip_ptr));
  const auto ours = std::make_shared<std::map<int, std::shared_ptr<const Operator>>>();
  return [=](const Launch& launch) {
    const auto prepared = [&] {
      return std::make_shared<const Operator>(format, format_table::prepare_strips(*strip_ptr, launch));
    };
    if (launch.kernel == Kernel::paper) return prepared();
    std::shared_ptr<const Operator>& kept = (*ours)[cmrs_block(launch)];
    if (!kept) kept = prepared();
    return kept;
  };
}

template Variants<float> cmrs_variants(const Csr<float>&, int, bool);
template Variants<double> cmrs_variants(const Csr<double>&, int, bool);

}  // namespace cuda
}  // namespace quadrille
