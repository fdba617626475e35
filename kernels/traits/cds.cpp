#include "formats/cds.hpp"
#include "formats/compact.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions& o) {
  if (!s.cds) return {{}, true, s.no_cds};
  const bool rounded = rounding_of(o.value_precision, s.value_bytes) > 0;
  const Traffic traffic = rounded ? compact_traffic(*s.cds, s.cds->diagonals() * s.cds->dof * s.cds->dof,
                                                    s.value_bytes, o.value_precision)
                                  : cds_traffic(*s.cds, s.value_bytes);
  return s.cds_from_csr ? padded("cds", s, traffic, value_bytes(*s.cds, s.value_bytes)) : whole(traffic);
}

double diagonals(const Sparsity& s) {
  if (!s.cds) throw FormatError("the time of cds is not known before it is made");
  return static_cast<double>(s.cds->diagonals());
}

double entries(const Sparsity& s) {
  return diagonals(s) * s.cds->dof * static_cast<double>(s.rows);
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {entries(s), diagonals(s), false};
}

int vectors_at_once(const Sparsity&, SpaceKind space) {
  return space == SpaceKind::cuda ? 8 : 1;
}

}  // namespace

FormatTraits cds_traits() {
  return {.name = "cds",
          .summary = "column diagonal storage (Godwin et al. 2012)",
          .made_from = MadeFrom::the_hub,
          .has_transpose = true,
          .made_on_gpu = true,
          .vectors_at_once = vectors_at_once,
          .options = {"block-size", "kernel", "x-cache", "value-precision"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = entries,
          .gpu = {0.925, 0.00, 0.000, 0.00, 0.274, 0},
          .cpu = {.entry_ps = 60},
          .gpu_transposed = {{0.900, 0.00, 0, 0, 0.274, 0}},  // by results/h200_transpose_*.json
          .cpu_transposed = {{.entry_ps = 60}}};
}

}  // namespace quadrille
