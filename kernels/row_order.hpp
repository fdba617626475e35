// The orders of RgCSR's rows, from CSR.
#pragma once

#include "formats/rg_csr.hpp"
#include "kernels/petsc/ordering.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

// Empty for none, which is the matrix's own. Throws as rcm_order() and amd_order() do.
template <class T>
Array<std::int32_t> row_order(const Csr<T>& csr, RowOrdering ordering) {
  switch (ordering) {
    case RowOrdering::none:
      return {};
    case RowOrdering::descending:
      return descending_order(csr);
    case RowOrdering::rcm:
      return petsc::rcm_order(csr.rows, csr.columns, csr.row_ptr, csr.column);
    case RowOrdering::amd:
      return petsc::amd_order(csr.rows, csr.columns, csr.row_ptr, csr.column);
  }
  return {};
}

}  // namespace quadrille
