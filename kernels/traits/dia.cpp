#include "formats/dia.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  const Traffic traffic = dia_traffic(s.rows, s.columns, s.diagonals, s.value_bytes);
  FormatBytes bytes = padded("dia", s, traffic, traffic.stored_bytes - 8 * s.diagonals);
  bytes.exact = s.exact;
  return bytes;
}

double entries(const Sparsity& s) {
  return static_cast<double>(s.rows) * static_cast<double>(s.diagonals);
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {entries(s), steps_of(static_cast<double>(s.diagonals), in_flight / 2), false};
}

}  // namespace

FormatTraits dia_traits() {
  return {.name = "dia",
          .summary = "scalar diagonals (Saad)",
          .made_from = MadeFrom::hub,
          .has_transpose = true,
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = entries,
          .gpu = {0.835, 0.33, 0.000, 0.00, 0.559, 0},
          .cpu = {.entry_ps = 250},
          .gpu_transposed = {{0.900, 0.33, 0, 0, 0.559, 0}},  // by results/h200_transpose_*.json
          .cpu_transposed = {{.entry_ps = 250}}};
}

}  // namespace quadrille
