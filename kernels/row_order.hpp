// The orders of RgCSR's rows, from CSR.
#pragma once

#include "formats/rg_csr.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

// Empty for none, which is the matrix's own. Throws FormatError for rcm and amd without `graph_order`.
template <class T>
Array<std::int32_t> row_order(const Csr<T>& csr, RowOrdering ordering, GraphOrder graph_order) {
  if (ordering == RowOrdering::none) return {};
  if (ordering == RowOrdering::descending) return descending_order(csr);
  if (graph_order == nullptr)
    throw FormatError(
        "rg_csr: rows are ordered by their graph only where the program brings what makes such orders");
  return graph_order(ordering, csr.rows, csr.columns, csr.row_ptr, csr.column);
}

}  // namespace quadrille
