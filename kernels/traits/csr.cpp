#include "formats/csr.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  return whole(csr_traffic(s.rows, s.columns, s.nnz, s.value_bytes));
}

}  // namespace

FormatTraits csr_traits() {
  return {.name = "csr",
          .summary = "compressed sparse row",
          .made_from = MadeFrom::the_csr,
          .has_transpose = true,
          .gpu_transpose_adds_atomically = true,
          .options = {"csr-lanes", "kernel"},
          .bytes = bytes,
          .gpu_work = work_by_rows,
          .cpu_entries = non_zeros,
          .transposes_like = "csc",
          .planned_segments = [](const Sparsity& s) { return static_cast<double>(s.rows); },
          .compressed = Compressed::rows,
          .gpu = {1.053, 0.75, 0.064, 1.61, 0.097, 0},
          .cpu = {.entry_ps = 345},
          .gpu_transposed = {{1.053, 2.72, 0.086, 8.00, 0.606, 0.04}},
          .cpu_transposed = {{.entry_ps = 750}}};
}

}  // namespace quadrille
