#include "formats/ell.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  return padded("ell", s, ell_traffic(s.rows, s.columns, s.lengths.longest, s.value_bytes),
                ell_bytes(s.rows, s.lengths.longest, s.value_bytes));
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {static_cast<double>(s.rows) * longest_row(s), steps_of(longest_row(s), in_flight)};
}

}  // namespace

FormatTraits ell_traits() {
  return {.name = "ell",
          .summary = "ELLPACK (Grimes et al. 1979)",
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .gpu = {1.053, 0.00, 0.386, 0.43, 0.730, 0},
          .cpu = {.entry_ps = 560}};
}

}  // namespace quadrille
