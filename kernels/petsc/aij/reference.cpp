#include "kernels/petsc/aij/reference.hpp"

#include <algorithm>

#include "kernels/petsc/aij/aij_matrix.hpp"

namespace quadrille::petsc {
namespace {

Array<double> product(const Csr<double>& csr, const double* x) {
  Array<double> y(csr.rows, std::numeric_limits<double>::quiet_NaN());
  AijMatrix(csr).multiply(x, {y.data()});
  return y;
}

}  // namespace

Reference::Reference(const Csr<double>& csr, const double* x, double largest)
    : quadrille::Reference(csr, x, product(csr, x), largest) {}

}  // namespace quadrille::petsc
