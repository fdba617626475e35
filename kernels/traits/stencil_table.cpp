#include "formats/stencil_table.hpp"

#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  if (!s.cds) return {{}, true, s.no_cds};
  if (const std::string refusal = too_many_stencils(s.stencils); !refusal.empty()) return {{}, true, refusal};
  const Traffic traffic = stencil_table_traffic(*s.cds, s.stencils, s.value_bytes);
  return {traffic, s.stencils_exact, ""};
}

double entries(const Sparsity& s) {
  if (!s.cds) throw FormatError("the time of stencil_table is not known before it is made");
  return static_cast<double>(s.rows) * static_cast<double>(s.cds->diagonals()) * s.cds->dof;
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {entries(s), static_cast<double>(s.cds->diagonals()), false};
}

// How many entries are not zero in all stencils is not known.
int vectors_at_once(const Sparsity& s, SpaceKind space) {
  if (space == SpaceKind::cpu || !s.cds) return 1;
  return compiled_vectors_at_once(s, s.cds->diagonals() * s.cds->dof * s.cds->dof);
}

}  // namespace

FormatTraits stencil_table_traits() {
  return {.name = "stencil_table",
          .summary = "different stencils once, and their numbers",
          .made_from = MadeFrom::hub,
          .has_transpose = true,
          .follows_values = true,
          .made_on_gpu = true,
          .vectors_at_once = vectors_at_once,
          .options = {"block-size"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = entries,
          .gpu = {0.80, 0.00, 0.000, 0.00, 0.500, 0},
          .cpu = {.entry_ps = 650},
          .gpu_transposed = {{0.80, 0.00, 0, 0, 0.500, 0}},
          .cpu_transposed = {{.entry_ps = 650}}};
}

}  // namespace quadrille
