#include "formats/rg_csr.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions& options) {
  const bool ordered = options.rg_csr_order || options.rg_csr_ordering != RowOrdering::none;
  FormatBytes bytes = padded(
      "rg_csr", s,
      rg_csr_traffic(s.rows, s.columns, s.nnz, options.rg_csr_group, s.rg_csr_slots, ordered, s.value_bytes),
      s.rg_csr_slots * (4 + s.value_bytes));
  bytes.exact = s.rg_csr_exact;
  return bytes;
}

GpuWork gpu_work(const Sparsity& s, const Traffic& traffic) {
  const double slots = static_cast<double>(s.rg_csr_slots) * (4.0 + s.value_bytes);
  return {non_zeros(s), 1 + steps_of(longest_row(s), in_flight * s.rg_csr_threads), true,
          static_cast<double>(traffic.stored_bytes) - slots +
              std::min(slots, static_cast<double>(s.touched_bytes))};
}

}  // namespace

FormatTraits rg_csr_traits() {
  return {.name = "rg_csr",
          .summary = "row-grouped CSR (Oberhuber et al. 2010)",
          .options = {"rgcsr-group", "rgcsr-ordering", "rgcsr-threads", "kernel", "x-cache"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .gpu = {0.957, 0.25, 0.320, 0.56, 0.546, 0},
          .cpu = {.entry_ps = 640}};
}

}  // namespace quadrille
