#include <amd.h>

#include <new>

#include "formats/format.hpp"
#include "kernels/petsc/aij/ordering.hpp"

namespace quadrille::petsc {

bool has_amd() {
  return true;
}

Array<std::int32_t> amd_order(std::int64_t rows, std::int64_t columns, const Array<std::int32_t>& row_ptr,
                              const Array<std::int32_t>& column) {
  if (rows != columns)
    throw FormatError("approximate minimum degree needs a square matrix, not " + std::to_string(rows) +
                      " x " + std::to_string(columns));
  Array<std::int32_t> order(rows);
  if (rows == 0) return order;
  // It takes columns, but A^T has the same A + A^T; and no null, also where there is no entry.
  const std::int32_t none = 0;
  const int status = ::amd_order(to_index32(rows, "rows"), row_ptr.data(),
                                 column.size() > 0 ? column.data() : &none, order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status == AMD_INVALID) throw FormatError("approximate minimum degree: columns outside the matrix");
  return order;
}

}  // namespace quadrille::petsc
