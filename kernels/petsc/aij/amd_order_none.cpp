// Builds without SuiteSparse.
#include "formats/format.hpp"
#include "kernels/petsc/aij/ordering.hpp"

namespace quadrille::petsc {

bool has_amd() {
  return false;
}

Array<std::int32_t> amd_order(std::int64_t, std::int64_t, const Array<std::int32_t>&,
                              const Array<std::int32_t>&) {
  throw FormatError("this build has no SuiteSparse, which approximate minimum degree comes from");
}

}  // namespace quadrille::petsc
