#include "kernels/tuning/format_bytes.hpp"

#include "formats/bcsr.hpp"
#include "formats/build_csr.hpp"
#include "formats/cds.hpp"
#include "formats/cmrs.hpp"
#include "formats/coo.hpp"
#include "formats/csc.hpp"
#include "formats/csr.hpp"
#include "formats/dia.hpp"
#include "formats/ell.hpp"
#include "formats/ellr_t.hpp"
#include "formats/hyb.hpp"
#include "formats/rg_csr.hpp"

namespace quadrille {
namespace {

FormatBytes whole(const Traffic& traffic) {
  return {traffic, true, ""};
}

// With the refusal of the format for so many bytes of padded entries.
FormatBytes padded(const std::string& format, const Sparsity& s, const Traffic& traffic,
                   std::int64_t entry_bytes) {
  return {traffic, true, absurd_fill(format, entry_bytes, csr_bytes(s.rows, s.nnz, s.value_bytes))};
}

FormatBytes of_cds(const Sparsity& s) {
  if (!s.cds) return {{}, true, s.no_cds};
  const Traffic traffic = cds_traffic(*s.cds, s.value_bytes);
  return s.cds_from_csr ? padded("cds", s, traffic, value_bytes(*s.cds, s.value_bytes)) : whole(traffic);
}

FormatBytes of_ellr_t(const Sparsity& s) {
  const std::int64_t width = round_up(s.lengths.longest, s.ellr_t_threads);
  const Traffic traffic = ellr_t_traffic(s.rows, s.columns, s.nnz, width, s.value_bytes);
  return padded("ellr_t", s, traffic, traffic.stored_bytes - 4 * s.rows);
}

FormatBytes of_rg_csr(const Sparsity& s, const FormatOptions& options) {
  const bool ordered = options.rg_csr_order || options.rg_csr_ordering != RowOrdering::none;
  FormatBytes bytes = padded(
      "rg_csr", s,
      rg_csr_traffic(s.rows, s.columns, s.nnz, options.rg_csr_group, s.rg_csr_slots, ordered, s.value_bytes),
      s.rg_csr_slots * (4 + s.value_bytes));
  bytes.exact = s.rg_csr_exact;
  return bytes;
}

FormatBytes of_bcsr(const Sparsity& s) {
  const std::int64_t b = s.block_size;
  return padded("bcsr", s, bcsr_traffic(s.rows, s.columns, b, s.blocks, s.value_bytes),
                s.blocks * (b * b * s.value_bytes + 4));
}

FormatBytes of_row_format(const std::string& format, const Sparsity& s, const FormatOptions& options) {
  const std::int64_t rows = s.rows, columns = s.columns, nnz = s.nnz, value = s.value_bytes;
  if (format == "csr") return whole(csr_traffic(rows, columns, nnz, value));
  if (format == "csc") return whole(csc_traffic(rows, columns, nnz, value));
  if (format == "coo") return whole(coo_traffic(rows, columns, nnz, value));
  if (format == "bcsr") return of_bcsr(s);
  if (format == "ell")
    return padded("ell", s, ell_traffic(rows, columns, s.lengths.longest, value),
                  ell_bytes(rows, s.lengths.longest, value));
  if (format == "ellr_t") return of_ellr_t(s);
  if (format == "rg_csr") return of_rg_csr(s, options);
  if (format == "cmrs") {
    const bool separate = s.cmrs_height > 1 && !cmrs_packs(columns);
    return whole(cmrs_traffic(rows, columns, nnz, s.cmrs_height, separate, value));
  }
  if (format == "hyb")
    return padded("hyb", s, hyb_traffic(rows, columns, s.hyb_width, s.hyb_beyond, value),
                  ell_bytes(rows, s.hyb_width, value));
  throw FormatError("the size of " + format + " is not known before it is made");
}

}  // namespace

FormatBytes format_bytes(const std::string& format, const Sparsity& s, const FormatOptions& options) {
  FormatBytes bytes;
  if (format == "cds") {
    bytes = of_cds(s);
  } else if (format == "dia") {
    const Traffic traffic = dia_traffic(s.rows, s.columns, s.diagonals, s.value_bytes);
    bytes = padded("dia", s, traffic, traffic.stored_bytes - 8 * s.diagonals);
    bytes.exact = s.exact;
  } else {
    if (!s.has_csr) return {{}, false, s.no_csr};
    bytes = of_row_format(format, s, options);
    bytes.exact = bytes.exact && s.exact;
  }
  return bytes;
}

}  // namespace quadrille
