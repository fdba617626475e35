#include "drivers/support/size_bounds.hpp"

#include <algorithm>

#include "formats/build_csr.hpp"
#include "formats/dia.hpp"
#include "formats/ell.hpp"
#include "kernels/tuning/ellr_t_model.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t index = 4;  // bytes of one

std::int64_t product(std::int64_t a, std::int64_t b) {
  return checked_product(a, b, "the bytes of the format");
}

// Scalar diagonals: of diagonal blocks one for each distance.
std::int64_t scalar_diagonals(const OperatorSize& size) {
  const DiaSlots slots = dia_slots(size.structure);
  return static_cast<std::int64_t>(size.diagonal_blocks ? slots.distance.size() : slots.offset.size());
}

// Of a format with 32-bit indices.
std::int64_t indexed_bytes(const std::string& format, const OperatorSize& size,
                           const FormatOptions& options) {
  const std::int64_t rows = to_index32(size.structure.rows(), "rows"), dof = size.structure.dof;
  const std::int64_t nnz = to_index32(most_non_zeros(size.structure, size.diagonal_blocks), "non-zeros");
  const std::int64_t longest = size.structure.diagonals() * (size.diagonal_blocks ? 1 : dof);
  const std::int64_t entry = size.value_bytes + index;
  if (format == "csr" || format == "csc") return csr_bytes(rows, nnz, size.value_bytes);
  if (format == "coo") return product(nnz, entry + index);
  if (format == "bcsr") {
    const std::int64_t blocks = most_non_zeros(size.structure, true) / dof;
    return product(blocks, dof * dof * size.value_bytes + index) + (size.structure.nodes() + 1) * index;
  }
  if (format == "ell" || format == "hyb") return ell_bytes(rows, longest, size.value_bytes);
  if (format == "ellr_t") {
    const EllrTChoice choice =
        ellr_t_choice(equal_rows(rows, longest), static_cast<int>(size.value_bytes), cuda::gpu_properties(),
                      {options.ellr_t_threads, options.ellr_t_block});
    return ell_bytes(rows, round_up(longest, choice.threads), size.value_bytes) + rows * index;
  }
  if (format == "rg_csr") {
    const std::int64_t groups = (rows + options.rg_csr_group - 1) / options.rg_csr_group;
    const std::int64_t order = options.rg_csr_ordering == RowOrdering::none ? 0 : rows;
    return product(product(rows, longest), entry) + (groups + 1 + rows + order) * index;
  }
  if (format == "cmrs") return product(nnz, entry + 1) + (rows / std::max(1, options.cmrs_height) + 2) * index;
  throw FormatError("the size of " + format + " is not known before it is assembled");
}

}  // namespace

Traffic traffic_at_most(const std::string& format, const OperatorSize& size, const FormatOptions& options) {
  const std::int64_t rows = size.structure.rows(), vector = product(rows, size.value_bytes);
  std::int64_t stored = 0;
  if (format == "cds") {
    stored = value_bytes(size.structure, size.value_bytes) +
             size.structure.diagonals() * static_cast<std::int64_t>(sizeof(NodeOffset));
  } else if (format == "dia") {
    const std::int64_t diagonals = scalar_diagonals(size);
    stored = product(product(diagonals, rows), size.value_bytes) + diagonals * 8;
  } else {
    stored = indexed_bytes(format, size, options);
  }
  return {stored, stored + vector, vector};
}

}  // namespace quadrille
