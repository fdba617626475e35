#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/aij/ordering.hpp"
#include "kernels/petsc/aij/reference.hpp"
#include "tests/products.hpp"

namespace quadrille {

const std::vector<FormatEntry>& tested_products() {
  return petsc::all_products();
}

Reference reference_of(const Csr<double>& csr, const double* x, double largest) {
  return petsc::Reference(csr, x, largest);
}

int row_orderings() {
  return petsc::has_amd() ? 4 : 3;
}

GraphOrder tested_graph_order() {
  return petsc::graph_order;
}

}  // namespace quadrille
