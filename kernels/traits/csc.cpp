#include "formats/csc.hpp"
#include "kernels/traits/all.hpp"
#include "kernels/traits/parts.hpp"

namespace quadrille {
namespace {

FormatBytes bytes(const Sparsity& s, const FormatOptions&) {
  return whole(csc_traffic(s.rows, s.columns, s.nnz, s.value_bytes));
}

GpuWork gpu_work(const Sparsity& s, const Traffic&) {
  return {non_zeros(s), 2 + steps_of(static_cast<double>(s.longest_column), 8 * in_flight)};
}

}  // namespace

FormatTraits csc_traits() {
  return {.name = "csc",
          .summary = "compressed sparse column: CSR of the transpose",
          .has_transpose = true,
          .gpu_adds_atomically = true,
          .options = {"kernel"},
          .bytes = bytes,
          .gpu_work = gpu_work,
          .cpu_entries = non_zeros,
          .transposes_like = "csr",
          .planned_segments = [](const Sparsity& s) { return static_cast<double>(s.columns); },
          .compressed = Compressed::columns,
          .gpu = {1.053, 2.72, 0.086, 8.00, 0.606, 0.04},
          .cpu = {.entry_ps = 750},
          .gpu_transposed = {{1.053, 0.75, 0.064, 1.61, 0.097, 0}},
          .cpu_transposed = {{.entry_ps = 345}}};
}

}  // namespace quadrille
