// What the descriptions of several formats are made of. Internal to kernels/traits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "formats/build_csr.hpp"
#include "kernels/registry.hpp"
#include "kernels/specialised.hpp"
#include "kernels/tuning/format_bytes.hpp"
#include "kernels/tuning/machine_model.hpp"
#include "kernels/tuning/sparsity.hpp"

namespace quadrille {

inline constexpr double in_flight = 8;  // entries that a thread reads at once
inline constexpr double tile = 1024;    // entries that a block of CSR's and CMRS's kernel reads at once
inline constexpr double chain_step =
    16;  // entries in shared memory that a lane adds up in the time of a step

inline double steps_of(double entries, double at_once) {
  return std::ceil(entries / at_once);
}
inline double non_zeros(const Sparsity& s) {
  return static_cast<double>(s.nnz);
}
inline double longest_row(const Sparsity& s) {
  return static_cast<double>(s.lengths.longest);
}

inline FormatBytes whole(const Traffic& traffic) {
  return {traffic, true, ""};
}

// With the refusal of the format for so many bytes of padded entries.
inline FormatBytes padded(const std::string& format, const Sparsity& s, const Traffic& traffic,
                          std::int64_t entry_bytes) {
  return {traffic, true, absurd_fill(format, entry_bytes, csr_bytes(s.rows, s.nnz, s.value_bytes))};
}

// Of kernels that are compiled for an operator on the GPU.
inline int compiled_vectors_at_once(const Sparsity& s, std::int64_t entries_of_node) {
  if (!s.cds || s.rows < rows_worth_compiling) return 1;
  return vectors_at_once(s.cds->dof, s.cds->extents[0], entries_of_node, s.value_bytes);
}

// Of CSR's kernel.
inline GpuWork work_by_rows(const Sparsity& s, const Traffic&) {
  return {non_zeros(s), 1 + static_cast<double>(s.csr_chain) / chain_step};
}

}  // namespace quadrille
