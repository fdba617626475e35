#include "formats/ellr_t.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  const std::int64_t width = round_up(s.lengths.longest, s.ellr_t_threads);
  const Traffic traffic = ellr_t_traffic(s.rows, s.columns, s.nnz, width, s.value_bytes);
  return padded("ellr_t", s, traffic, traffic.stored_bytes - 4 * s.rows);
}

// Bytes of the sectors of its arrays that hold an entry within its row.
double touched(const Sparsity& s, double stored_entries) {
  const double entry = 4.0 + s.value_bytes;
  if (s.ellr_t_threads == 1) return static_cast<double>(s.touched_bytes);
  const double half_open = static_cast<double>(s.rows) * 0.5 * std::max(s.ellr_t_threads, 8);
  return entry * std::min(stored_entries, non_zeros(s) + half_open);
}

GpuWork gpu_work(const Sparsity& s, const Traffic& traffic) {
  const int threads = s.ellr_t_threads;
  const double lengths = 4 * static_cast<double>(s.rows),
               slots = (static_cast<double>(traffic.stored_bytes) - lengths) / (4.0 + s.value_bytes);
  return {non_zeros(s), 1 + steps_of(longest_row(s), threads * (threads == 1 ? in_flight : in_flight / 2)),
          true, lengths + touched(s, slots)};
}

}  // namespace

FormatTraits ellr_t_traits() {
  return {.name = "ellr_t",
          .summary = "ELLPACK-R with T threads per row (Vazquez et al. 2011)",
          .options = {"ellr-threads", "ellr-block", "ellr-model", "kernel", "x-cache"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .gpu = {0.996, 0.45, 0.000, 0.85, 0.230, 0},
          .cpu = {.entry_ps = 520}};
}

}  // namespace quadrille
