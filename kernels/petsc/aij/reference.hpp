// What every result is checked against: PETSc's MATAIJ MatMult in double.
#pragma once

#include "kernels/reference.hpp"

namespace quadrille::petsc {

class Reference : public quadrille::Reference {
 public:
  // Throws PetscError without a Session.
  Reference(const Csr<double>& csr, const double* x, double largest = std::numeric_limits<double>::max());
};

}  // namespace quadrille::petsc
