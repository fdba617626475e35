#include "formats/compact.hpp"

#include "kernels/cpu/spmv.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions& o) {
  if (!s.cds) return {{}, true, s.no_cds};
  const Traffic traffic = compact_traffic(*s.cds, s.compact_columns, s.value_bytes, o.value_precision);
  FormatBytes bytes = s.cds_from_csr ? padded("compact", s, traffic, traffic.stored_bytes) : whole(traffic);
  bytes.exact = s.compact_exact;
  return bytes;
}

double blocks(const Sparsity& s) {
  if (!s.cds) throw FormatError("the time of compact is not known before it is made");
  return static_cast<double>(s.cds->diagonals());
}

// Entries of the map, each of which a thread adds up for its node; nothing is done for those that are 0.
double entries(const Sparsity& s) {
  return static_cast<double>(s.compact_entries) * static_cast<double>(s.cds->nodes());
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {entries(s), blocks(s), false};
}

int vectors_at_once(const Sparsity& s, SpaceKind space) {
  return space == SpaceKind::cpu ? cpu::compact_vectors_at_once
                                 : compiled_vectors_at_once(s, s.compact_entries);
}

}  // namespace

FormatTraits compact_traits() {
  return {.name = "compact",
          .summary = "block diagonals without what is zero, constant or symmetric",
          .made_from = MadeFrom::hub,
          .has_transpose = true,
          .follows_values = true,
          .follows_fill = true,
          .made_on_gpu = true,
          .takes_few_rows = true,
          .vectors_at_once = vectors_at_once,
          .options = {"block-size", "value-precision"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = entries,
          .gpu = {0.85, 0.00, 0.000, 0.00, 0.300, 0},
          .cpu = {.entry_ps = 450},
          .gpu_transposed = {{0.85, 0.00, 0, 0, 0.300, 0}},
          .cpu_transposed = {{.entry_ps = 450}}};
}

}  // namespace quadrille
