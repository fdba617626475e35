#include "drivers/support/other_products.hpp"
#include "kernels/petsc/aij/all_products.hpp"

namespace quadrille {

template <class T>
Others measure_others(FormatRun<T>& formats, OperatorSweep& sweep, const Options& here, SpaceKind space,
                      std::span<const OtherProduct> wanted) {
  Others others;
  for (const OtherProduct& other : wanted) {
    const bool of_petsc = other.format == std::string("petsc_aij");
    const SpaceKind there = of_petsc ? SpaceKind::cpu : space;
    if (!has_format(other.format, there, petsc::all_products())) continue;
    const FormatEntry& entry = find_format(other.format, there, petsc::all_products());
    const bool special = other.csr_lanes > 0 || other.kernel == Kernel::paper;  // of the GPU
    if (!entry.make<T>() || (special && space == SpaceKind::cpu)) continue;
    sweep.say(other.name);
    FormatOptions options = here.format_options;
    options.csr_lanes = other.csr_lanes;
    options.kernel = other.kernel;
    Record record = formats.measure(entry, options);
    if (special) record.format = other.kernel == Kernel::paper ? "csr_scalar" : "csr_vector";
    if (record.skipped.empty()) others.emplace_back(other.name, record.ms_median);
    sweep.add(std::move(record));
  }
  return others;
}

template Others measure_others(FormatRun<float>&, OperatorSweep&, const Options&, SpaceKind,
                               std::span<const OtherProduct>);
template Others measure_others(FormatRun<double>&, OperatorSweep&, const Options&, SpaceKind,
                               std::span<const OtherProduct>);

}  // namespace quadrille
