#include "formats/cmrs.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  const bool separate = s.cmrs_height > 1 && !cmrs_packs(s.columns);
  return whole(cmrs_traffic(s.rows, s.columns, s.nnz, s.cmrs_height, separate, s.value_bytes));
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {non_zeros(s) * s.cmrs_height, 1 + static_cast<double>(s.cmrs_chain) / chain_step};
}

}  // namespace

FormatTraits cmrs_traits() {
  return {.name = "cmrs",
          .summary = "compressed multi-row storage (Koza et al. 2012)",
          .options = {"cmrs-height", "cmrs-reorder", "cmrs-block", "cmrs-aligned", "cmrs-split", "kernel",
                      "x-cache"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .planned_segments = [](const Sparsity& s) { return static_cast<double>(s.rows) / s.cmrs_height; },
          .gpu = {0.957, 0.81, 0.175, 2.15, 0.311, 0},
          .cpu = {.entry_ps = 2600}};
}

}  // namespace quadrille
