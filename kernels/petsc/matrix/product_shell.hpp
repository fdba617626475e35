// A MATSHELL of which products are ours, and all that asks for single entries reads them from a copy in AIJ.
// Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <memory>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/vector_product.hpp"

namespace quadrille::petsc {

// Every member throws.
class ProductOfShell {
 public:
  virtual ~ProductOfShell() = default;
  // A x, or A^T x, to `y`. Collective.
  virtual void multiply(Vec x, const VecOutput& y, bool transposed) = 0;
  // Made when first asked for, and kept. Collective.
  virtual Mat aij(MPI_Comm comm) = 0;
};

struct ShellLayout {
  MPI_Comm comm = MPI_COMM_NULL;
  PetscInt rows = 0, columns = 0;  // of this rank
  PetscInt row_block = 1, column_block = 1;
  bool on_gpu = false;  // the vectors that it makes
};
Handle<Mat> make_product_shell(const ShellLayout& layout, std::unique_ptr<ProductOfShell> product);

// What stands behind such a matrix, or null for any other one.
ProductOfShell* product_of_shell(Mat matrix);
Mat aij_of_shell(Mat matrix);

}  // namespace quadrille::petsc
