#include "formats/hyb.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  return padded("hyb", s, hyb_traffic(s.rows, s.columns, s.hyb_width, s.hyb_beyond, s.value_bytes),
                ell_bytes(s.rows, s.hyb_width, s.value_bytes));
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  const double width = static_cast<double>(s.hyb_width);
  return {static_cast<double>(s.rows) * width + static_cast<double>(s.hyb_beyond),
          steps_of(width, in_flight) + (s.hyb_beyond > 0 ? 3 + steps_of(longest_row(s), tile) : 0)};
}

}  // namespace

FormatTraits hyb_traits() {
  return {.name = "hyb",
          .summary = "ELL and COO (Bell and Garland 2009)",
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .gpu = {1.053, 0.00, 0.355, 0.53, 0.911, 0},
          .cpu = {.entry_ps = 720}};
}

}  // namespace quadrille
