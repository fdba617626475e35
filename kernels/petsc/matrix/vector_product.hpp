// Products with PETSc's vectors, wherever these and the operator are. Internal to kernels/petsc.
#pragma once

#include <petscvec.h>

#include "formats/array.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// to = alpha * sums + beta * from, as Output has it: `from` may be `to`, or null where beta is 0.
struct VecOutput {
  Vec to = nullptr, from = nullptr;
  double alpha = 1, beta = 0;
};

// to = beta * from
void begin_sums(const VecOutput& y);

// A x, or A^T x, to `y`. Where the operator is in GPU memory the product is put into PETSc's queue and
// nothing waits for it; vectors in host memory are copied there and back, for which this keeps memory.
class VectorProduct {
 public:
  // `entries`: how many numbers A has, for -log_view; -1 where that is not known. `dots`: where x . A x is
  // wanted, too, of A x itself; whether it was made.
  bool run(const SpmvOperator<double>& op, Vec x, const VecOutput& y, bool transposed, std::int64_t entries,
           double* dots = nullptr);

 private:
  static double* room_for(Array<double, Device>& array, std::int64_t size);
  static void copy_in(Array<double, Device>& array, const double* from, std::int64_t size);

  Array<double, Device> x_, y_;  // of vectors in host memory
};

}  // namespace quadrille::petsc
