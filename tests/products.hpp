// What the suites of the products run over and are checked against: in a build with PETSc its products,
// orders and MatMult as well (products_petsc.cpp), else a loop over CSR (products_plain.cpp).
#pragma once

#include <limits>
#include <vector>

#include "kernels/reference.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

const std::vector<FormatEntry>& tested_products();

// y_ref = A x by other code than the formats'.
Reference reference_of(const Csr<double>& csr, const double* x,
                       double largest = std::numeric_limits<double>::max());

// The first so many of RowOrdering can be made, those of a graph by tested_graph_order().
int row_orderings();
GraphOrder tested_graph_order();

}  // namespace quadrille
