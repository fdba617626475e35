#include <utility>

#include "tests/products.hpp"

namespace quadrille {

const std::vector<FormatEntry>& tested_products() {
  return registry();
}

Reference reference_of(const Csr<double>& csr, const double* x, double largest) {
  Array<double> y(csr.rows, 0.0);
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      y[i] += csr.value[k] * x[csr.column[k]];
  return {csr, x, std::move(y), largest};
}

int row_orderings() {
  return 2;  // none and descending
}

GraphOrder tested_graph_order() {
  return nullptr;
}

}  // namespace quadrille
