// The GPU's half of the registry and of the searches, in builds with CUDA.
#include <map>

#include "kernels/format_table.hpp"
#include "kernels/tuning/cmrs_variants.hpp"
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
          [format](int block) { format->block = block; },
          [format](CachePath x_cache) -> std::unique_ptr<SpmvOperator<T>> {
            return std::make_unique<PaperOperator<EllrT<T, Device>, T>>(format, x_cache);
          }};
}

template EllrTVariants<float> ellr_t_variants(const Csr<float>&, int);
template EllrTVariants<double> ellr_t_variants(const Csr<double>&, int);

template <class T>
CmrsVariants<T> cmrs_variants(const Csr<T>& csr, int height, bool reorder) {
  struct Shared {
    Array<std::int32_t> strip_ptr;
    std::map<int, LinePlan<Device>> plans;  // by the threads of a block, but for the one in use
    std::shared_ptr<Cmrs<T, Device>> format;
  };
  Cmrs<T> host = cmrs_from_csr(csr, height, reorder);
  const auto shared = std::make_shared<Shared>();
  shared->format = std::make_shared<Cmrs<T, Device>>(format_table::to_device(host));
  shared->strip_ptr = std::move(host.strip_ptr);
  const auto set_launch = [shared](const CmrsLaunch& launch) {
    Cmrs<T, Device>& format = *shared->format;
    const int threads = threads_of(launch), before = threads_of(format.launch);
    if (launch.kernel == Kernel::ours) {
      if (format.launch.kernel == Kernel::ours) shared->plans[before] = std::move(format.plan);
      if (shared->plans.find(threads) == shared->plans.end())
        shared->plans[threads] = plan_on<Device>(shared->strip_ptr, threads);
      format.plan = std::move(shared->plans.at(threads));
    } else if (format.launch.kernel == Kernel::ours) {
      shared->plans[before] = std::move(format.plan);
    }
    format.launch = launch;
  };
  return {std::make_unique<FormatOperator<Cmrs<T, Device>, T, Device>>(shared->format), set_launch};
}

template CmrsVariants<float> cmrs_variants(const Csr<float>&, int, bool);
template CmrsVariants<double> cmrs_variants(const Csr<double>&, int, bool);

}  // namespace cuda
}  // namespace quadrille
